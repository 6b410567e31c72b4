import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as z from 'zod';
import { anyValue, count, freeForm, id, instant, percentage, text } from './fields.ts';
import { fitsSchema } from './fits-schema.ts';

const tagged = z.discriminatedUnion('type', [
  z.object({ type: z.literal('A'), a: z.string() }),
  z.object({ type: z.literal('B'), b: z.boolean().optional() }),
]);

const fitting: [string, z.ZodType, unknown][] = [
  ['a string', text(), 'x'],
  ['an id', id(), 'x'.repeat(128)],
  ['an instant', instant(), '2026-02-26T14:00:00Z'],
  ['a pattern of Zod', z.string().regex(/^2\./), '2.0'],
  ['a whole number', count(1), 1],
  ['a percentage', percentage(), 100],
  ['an option', z.enum(['a', 'b']), 'b'],
  ['a list', z.array(z.boolean()).min(1).max(2), [true, false]],
  ['a free-form object', freeForm(), { constructor: 1 }],
  ['an object', z.object({ a: text(), b: text().optional(), c: text().nullish() }), { c: null, a: 'x' }],
  ['any value', z.object({ a: anyValue() }), { a: null }],
  ['a tagged union', tagged, { type: 'B' }],
  ['a check of its own', z.custom<string>().check(() => undefined), 'x'],
];

const notFitting: [string, z.ZodType, unknown][] = [
  ['an empty string', text(), ''],
  ['an id that is too long', id(), 'x'.repeat(129)],
  ['a date that is none', instant(), '2026-02-30T14:00:00Z'],
  ['a pattern that is not met', z.string().regex(/^2\./), '1.0'],
  ['a fraction', count(), 1.5],
  ['a number that is not safe', count(), 2 ** 53],
  ['infinity', z.number(), Number.POSITIVE_INFINITY],
  ['a number below', count(1), 0],
  ['a number above', percentage(), 100.5],
  ['no option', z.enum(['a', 'b']), 'c'],
  ['a list that is too short', z.array(z.boolean()).min(1), []],
  ['a list that is too long', z.array(z.boolean()).max(1), [true, true]],
  ['a list with a wrong item', z.array(z.boolean()), [true, 1]],
  ['an object for a list', z.array(z.boolean()), {}],
  ['a list for an object', z.object({}), []],
  ['a list for a free-form object', freeForm(), []],
  ['a missing field', z.object({ a: text() }), {}],
  ['a field that is undefined', z.object({ a: anyValue() }), { a: undefined }],
  ['null where it is not allowed', z.object({ a: text().optional() }), { a: null }],
  ['an unknown field', z.object({ a: text() }), { a: 'x', b: 1 }],
  ['an unknown field of a loose object', z.looseObject({ a: text() }), { a: 'x', b: 1 }],
  ['a field that must not be', z.object({ a: z.never().optional() }), { a: 1 }],
  ['an unknown tag', tagged, { type: 'C' }],
  ['the wrong branch', tagged, { type: 'A', b: true }],
  ['a refinement that fails', z.object({}).refine(() => false), {}],
];

const leftToZod: [string, z.ZodType, unknown][] = [
  ['a format of Zod', z.email(), 'a@example.org'],
  ['an exclusive bound', z.number().gt(1), 2],
  ['an untagged union', z.union([z.string(), z.number()]), 'x'],
  ['a default', z.string().default('x'), 'x'],
  ['a transformation', z.string().transform((value) => value), 'x'],
  ['a value that is changed', z.string().trim(), 'x'],
  ['a record with rules', z.record(z.string().min(2), z.unknown()), { aa: 1 }],
];

describe('what fits a schema', () => {
  for (const [name, schema, value] of fitting) {
    it(`${name} fits, as Zod says`, () => {
      assert.equal(fitsSchema(schema, value), true);
      assert.equal(schema.safeParse(value).success, true);
    });
  }
  for (const [name, schema, value] of notFitting) {
    it(`${name} does not fit`, () => assert.equal(fitsSchema(schema, value), false));
  }
  for (const [name, schema, value] of leftToZod) {
    it(`${name} is left to Zod`, () => {
      assert.equal(fitsSchema(schema, value), false);
      assert.equal(schema.safeParse(value).success, true);
    });
  }
});
