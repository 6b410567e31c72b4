import assert from 'node:assert/strict';
import { it } from 'node:test';
import * as z from 'zod';
import { freeForm } from './fields.ts';
import { pointer } from './issue.ts';
import { findUnknownFields } from './unknown-fields.ts';

const leaf = z.object({ a: z.string().optional() });
const schema = z.object({
  plain: leaf.optional(),
  maybe: leaf.nullish(),
  list: z.array(leaf).optional(),
  deepList: z.array(z.array(leaf)).optional(),
  free: freeForm().optional(),
  any: z.unknown().optional(),
  words: z.array(z.string()).optional(),
  tagged: z
    .discriminatedUnion('type', [
      z.object({ type: z.literal('x'), x: leaf.optional() }),
      z.object({ type: z.literal('y') }),
    ])
    .optional(),
});

function foundIn(value: unknown): string[] {
  return findUnknownFields(schema, value).map(({ path }) => pointer(path));
}

it('unknown fields are found wherever the schema knows the object', () => {
  const odd = { a: '', b: 1 };
  assert.deepEqual(foundIn({ zz: 1, plain: odd, maybe: odd, list: [odd, {}, odd], deepList: [[], [odd]] }), [
    '/zz',
    '/plain/b',
    '/maybe/b',
    '/list/0/b',
    '/list/2/b',
    '/deepList/1/0/b',
  ]);
});

it('free-form values are not looked into', () => {
  assert.deepEqual(foundIn({ free: { b: { c: 1 } }, any: { b: 1 }, words: ['a'] }), []);
});

it('the tag of a union picks what is known; with another tag nothing is said', () => {
  assert.deepEqual(foundIn({ tagged: { type: 'x', x: { b: 1 }, y: 1 } }), ['/tagged/x/b', '/tagged/y']);
  assert.deepEqual(foundIn({ tagged: { type: 'y', x: {} } }), ['/tagged/x']);
  assert.deepEqual(foundIn({ tagged: { type: 'z', x: {} } }), []);
  assert.deepEqual(foundIn({ tagged: { x: {} } }), []);
});

it('a value of the wrong type has none', () => {
  for (const value of [null, 1, 'a', [], undefined]) assert.deepEqual(foundIn(value), []);
  assert.deepEqual(foundIn({ plain: [1], maybe: null, list: { b: 1 }, tagged: null }), []);
});

it('keys that every object inherits are unknown all the same', () => {
  assert.deepEqual(foundIn({ toString: 1, hasOwnProperty: 2 }), ['/toString', '/hasOwnProperty']);
});

it('the fields that may be there are told', () => {
  assert.deepEqual(findUnknownFields(leaf, { b: 1 }), [{ path: ['b'], known: ['a'] }]);
});
