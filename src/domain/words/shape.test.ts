import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  boundedText,
  instantMs,
  integer,
  kinds,
  list,
  number,
  object,
  optionalField,
  orNull,
  readShape,
  type Shape,
  trueOrFalse,
  word,
} from './shape.ts';

interface Point {
  readonly name: string;
  readonly at: number | null;
  readonly tags?: readonly string[];
}

const point = object<Point>({
  name: boundedText(3),
  at: orNull(instantMs),
  tags: optionalField(list(word(['a', 'b']), 2)),
});

test('a value that fits is read with its own fields alone', () => {
  const value = JSON.parse('{"name":"x","at":1,"more":true,"__proto__":{"y":1}}');
  assert.deepEqual(readShape(point, value), { kind: 'read', value: { name: 'x', at: 1 } });
  assert.deepEqual(readShape(point, { name: 'x', at: null, tags: ['a'] }).kind, 'read');
});

const MISFITS: readonly (readonly [shape: Shape<unknown>, value: unknown, path: string, reason: RegExp])[] = [
  [point, null, '', /no object/],
  [point, [], '', /no object/],
  [point, { at: 1 }, '/name', /not a text/],
  [point, { name: 'long', at: 1 }, '/name', /more than 3/],
  [point, { name: 'x', at: -1 }, '/at', /no number/],
  [point, { name: 'x', at: 1.5 }, '/at', /no integer/],
  [point, { name: 'x', at: 1, tags: ['c'] }, '/tags/0', /none of a, b/],
  [point, { name: 'x', at: 1, tags: ['a', 'a', 'a'] }, '/tags', /more than 2/],
  [point, { name: 'x', at: 1, tags: null }, '/tags', /no list/],
  [number(0, 1), Number.NaN, '', /no number/],
  [number(0, 1), '1', '', /no number/],
  [integer(0), 2 ** 60, '', /no integer/],
  [trueOrFalse, 1, '', /neither/],
  [boundedText(9, /^a+$/), 'b', '', /another form/],
];

for (const [shape, value, path, reason] of MISFITS) {
  test(`a misfit is named by its place: ${JSON.stringify(value)}`, () => {
    const reading = readShape(shape, value);
    assert.ok(reading.kind === 'misfit');
    assert.equal(reading.path, path);
    assert.match(reading.reason, reason);
  });
}

test('objects of several kinds are told apart, and a name of every object is none', () => {
  type Either = { readonly kind: 'one'; readonly a: number } | { readonly kind: 'two' };
  const either = kinds<Either>({
    one: object<Extract<Either, { kind: 'one' }>>({ kind: word(['one']), a: integer(0) }),
    two: object<Extract<Either, { kind: 'two' }>>({ kind: word(['two']) }),
  });
  assert.deepEqual(readShape(either, { kind: 'one', a: 1 }), { kind: 'read', value: { kind: 'one', a: 1 } });
  assert.equal(readShape(either, { kind: 'one' }).kind, 'misfit');
  for (const kind of ['toString', '__proto__', 'three', 7]) assert.equal(readShape(either, { kind }).kind, 'misfit');
});

test('half a character is replaced: it has no place in canonical JSON', () => {
  assert.deepEqual(readShape(boundedText(9), 'a\ud800'), { kind: 'read', value: 'a\ufffd' });
});
