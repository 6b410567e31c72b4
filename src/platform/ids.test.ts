import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomIds } from './ids.ts';

const COUNT = 5_000;

test('uuids are version 7, and each sorts after the one made before it', () => {
  const { uuid } = randomIds();
  const made = Array.from({ length: COUNT }, () => uuid());
  for (const id of made) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.deepEqual([...new Set(made)].sort(), made);
});

test('ulids are valid, and each sorts after the one made before it', () => {
  const { ulid } = randomIds();
  const made = Array.from({ length: COUNT }, () => ulid());
  for (const id of made) assert.match(id, /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
  assert.deepEqual([...new Set(made)].sort(), made);
});

test('ids of two makers in one process keep the order they were made in', () => {
  const [one, other] = [randomIds(), randomIds()];
  const made = Array.from({ length: COUNT }, (_, at) => (at % 2 === 0 ? one : other).uuid());
  assert.deepEqual([...made].sort(), made);
});
