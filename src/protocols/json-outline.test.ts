import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { damage } from '../../test/support/message/mutate-text.ts';
import { randomOf, SEED } from '../../test/support/seed.ts';
import { MIB } from '../domain/limits.ts';
import { isJsonObject } from '../domain/words/json-object.ts';
import { detectProtocol } from './detect.ts';
import { outlineJson } from './json-outline.ts';
import { readJson } from './json-text.ts';

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

/** The outline has to agree with who reads all of it. */
function assertAgrees(text: string): void {
  const reading = readJson(text);
  const outline = outlineJson(text);
  assert.equal(outline !== null, reading.value !== undefined, text);
  if (outline === null) return;
  const isObject = isJsonObject(reading.value);
  assert.equal(outline.top !== null, isObject, text);
  if (!isObject) return;
  assert.deepEqual(Object.keys(outline.top ?? {}), Object.keys(reading.value as object), text);
  assert.equal(detectProtocol(outline.top), detectProtocol(reading.value), text);
}

describe('the outline of a text', () => {
  const texts = [
    '{}',
    '[]',
    ' { } ',
    '\r\n\t[ 1 , "a" ]',
    '{"aop_version":"2.0","a":{"protocol":"aof"}}',
    '{"a":{"aop_version":"2.0"}}',
    '{"aop_version":"2.0","aop_version":"1.0"}',
    '{"\\u0061op_version":"2\\u002e0"}',
    '{"protocol":"aof","protocol":1}',
    '{"protocol":["aof"]}',
    '{"__proto__":{"eventId":1},"constructor":1}',
    '{"a":[{},[],{"b":[[]]}],"artifact":null}',
    '[-0,0.5,1e400,-1E-2,true,false,null]',
    `["${'x'.repeat(200)}","\\"\\\\\\u00e9"]`,
    nested(64),
  ];
  for (const text of texts) {
    it(`of ${JSON.stringify(text.slice(0, 50))} has what the whole has`, () => {
      assert.notEqual(outlineJson(text), null);
      assertAgrees(text);
    });
  }

  const broken = [
    '{',
    '[',
    '[1,]',
    '[,1]',
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '{a:1}',
    '{"a":1]',
    '[1}',
    '[1 2]',
    '{} {}',
    '[]x',
    '[01]',
    '[1.]',
    '[.5]',
    '[+1]',
    '[--1]',
    '[1e]',
    '[tru]',
    '[nulll]',
    '["a',
    '["a\\"]',
    '["\\x"]',
    '["\\u12"]',
    '["\n"]',
    '["\u0000"]',
    '\ufeff{}',
    '\u00a0{}',
    '{"a\n":1}',
    nested(65),
  ];
  for (const text of broken) {
    it(`of ${JSON.stringify(text.slice(0, 20))} is none`, () => {
      assert.equal(outlineJson(text), null);
      assertAgrees(text);
    });
  }

  it('is there for the same texts that can be read whole, damaged or not', () => {
    const property = fc.property(fc.json({ maxDepth: 5 }), fc.nat(), (inner, index) => {
      const text = `{"protocol":"aof","eventId":${inner}}`;
      assertAgrees(text);
      assertAgrees(damage(text, randomOf(SEED, index), `[${inner}]`).text.replace(/^[^[{]*/, '['));
    });
    fc.assert(property, { seed: SEED, numRuns: 2_000 });
  });
});

describe('16 MiB', () => {
  const filled = (unit: string, before = '', after = '') =>
    before + unit.repeat(Math.floor((16 * MIB) / unit.length)) + after;
  const rows: readonly [string, () => string][] = [
    ['of empty lists', () => filled('[],', '[', '[]]')],
    ['of empty lists, further down', () => filled('[],', '{"a":[', '[]]}')],
    ['of empty strings', () => filled('"",', '[', '""]')],
    ['of short keys', () => filled('"a":1,', '{', '"a":1}')],
    ['of escapes', () => filled('\\"', '["', '"]')],
    ['of strings with an escape', () => filled('"\\n",', '[', '""]')],
    ['of quotes', () => filled('"', '[')],
    ['of blanks', () => filled(' ', '[', ']')],
    ['of digits', () => filled('1', '[', ']')],
    ['of opening brackets', () => filled('[')],
  ];
  for (const [name, make] of rows) {
    it(`${name} are looked through in little time and without being built`, () => {
      const text = make();
      outlineJson(text.slice(0, 1_000));
      const before = process.memoryUsage().heapUsed;
      const startedAt = process.cpuUsage();
      outlineJson(text);
      const { user, system } = process.cpuUsage(startedAt);
      assert.ok(user + system < 4_000_000, `${(user + system) / 1000} ms`);
      const grownMib = (process.memoryUsage().heapUsed - before) / MIB;
      assert.ok(grownMib < 128, `${grownMib} MiB`);
    });
  }
});
