import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as z from 'zod';
import { anyValue, id, instant } from './fields.ts';
import { publishedSchema } from './published-schema.ts';

const schema = z.object({
  name: id(),
  at: instant().optional(),
  any: anyValue(),
  gone: z.never().optional(),
  part: z.object({ n: z.int() }),
  loose: z.looseObject({}).optional(),
});

function publish(unknownFields: 'refused' | 'refused-unless-x' | 'kept') {
  const published = publishedSchema({ protocol: 'saop', unknownFields, schemaOf: () => schema }, 'turn');
  assert.ok(published);
  return published;
}

describe('a published schema', () => {
  it('says which dialect, protocol and kind it is, first', () => {
    const { $schema, $id, title } = publish('kept');
    assert.deepEqual(Object.keys(publish('kept')).slice(0, 4), ['$schema', '$id', 'title', 'type']);
    assert.equal($schema, 'https://json-schema.org/draft/2020-12/schema');
    assert.equal($id, 'https://baton.local/schema/saop/turn.json');
    assert.equal(title, 'SAOP turn');
  });

  it('keeps limits, patterns and formats that the codec holds by functions', () => {
    const properties = publish('kept').properties as Record<string, z.core.JSONSchema.BaseSchema>;
    assert.deepEqual(properties.name, { type: 'string', minLength: 1, maxLength: 128 });
    assert.equal(properties.at?.format, 'date-time');
    assert.match(String(properties.at?.pattern), /^\^/);
    assert.deepEqual(properties.gone, { not: {} });
    assert.deepEqual(publish('kept').required, ['name', 'any', 'part']);
  });

  const noBadKeys = { not: { enum: ['constructor', 'prototype'] } };
  const cases = [
    ['refused', { additionalProperties: false }],
    ['refused-unless-x', { patternProperties: { '^x-': {} }, additionalProperties: false }],
    ['kept', { propertyNames: noBadKeys }],
  ] as const;
  for (const [policy, want] of cases) {
    it(`says of unknown fields that they are ${policy}, in every object`, () => {
      const { properties, ...root } = publish(policy);
      const { part, loose } = properties as Record<string, z.core.JSONSchema.BaseSchema>;
      for (const object of [root, part]) {
        const { patternProperties, additionalProperties, propertyNames } = object ?? {};
        const told = { patternProperties, additionalProperties, propertyNames };
        assert.deepEqual(JSON.parse(JSON.stringify(told)), want);
      }
      assert.deepEqual(loose, { type: 'object', properties: {}, propertyNames: noBadKeys });
    });
  }

  it('is not there for a kind without a JSON form', () => {
    assert.equal(
      publishedSchema({ protocol: 'aop', unknownFields: 'kept', schemaOf: () => undefined }, 'V1'),
      undefined,
    );
  });
});
