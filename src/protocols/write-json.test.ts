import assert from 'node:assert/strict';
import { it } from 'node:test';
import * as z from 'zod';
import { writeJson } from './write-json.ts';

const leaf = z.object({ a: z.string().optional(), b: z.number().optional() });
const schema = z.object({
  first: leaf.nullish(),
  second: z.array(leaf).optional(),
  third: z
    .discriminatedUnion('type', [z.object({ type: z.literal('x'), leaf }), z.object({ type: z.literal('y') })])
    .optional(),
  free: z.record(z.string(), z.unknown()).optional(),
});

const ROWS: [name: string, message: unknown, text: string][] = [
  [
    'keys go out in the order of the schema',
    { second: [{ b: 1, a: 'x' }], first: { b: 2, a: 'y' } },
    '{"first":{"a":"y","b":2},"second":[{"a":"x","b":1}]}',
  ],
  [
    'keys of the sender come last, in their order',
    { z: 1, y: { b: 1, a: 2 }, first: null },
    '{"first":null,"z":1,"y":{"b":1,"a":2}}',
  ],
  [
    'the tag of a union picks the order',
    { third: { leaf: { b: 1, a: '' }, type: 'x' } },
    '{"third":{"type":"x","leaf":{"a":"","b":1}}}',
  ],
  ['an unknown tag leaves the order', { third: { b: 1, type: 'q' } }, '{"third":{"b":1,"type":"q"}}'],
  ['free-form values are left alone', { free: { z: 1, a: { c: 1, b: 2 } } }, '{"free":{"z":1,"a":{"c":1,"b":2}}}'],
  ['undefined is absent', { first: undefined, second: [] }, '{"second":[]}'],
  ['what is no object is written as it is', 'text', '"text"'],
  ['inherited names are no fields', { third: { type: 'y', toString: 1 } }, '{"third":{"type":"y","toString":1}}'],
  ['lone surrogates go out as their escape', { first: { a: '\ud800' } }, '{"first":{"a":"\\ud800"}}'],
];
for (const [name, message, text] of ROWS) it(name, () => assert.equal(writeJson(schema, message), text));

it('with an indent it is for people', () => {
  assert.equal(writeJson(leaf, { b: 1, a: 'x' }, 2), '{\n  "a": "x",\n  "b": 1\n}');
});

it('the message itself is not changed', () => {
  const message = Object.freeze({ second: Object.freeze([Object.freeze({ b: 1, a: 'x' })]) });
  writeJson(schema, message);
  assert.deepEqual(Object.keys(message.second[0] ?? {}), ['b', 'a']);
});
