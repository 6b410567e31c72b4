import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomIds } from './ids.ts';

test('ids have their forms, are all different and sort by time', () => {
  const ids = randomIds();
  const ulids = Array.from({ length: 5_000 }, () => ids.ulid());
  assert.ok(ulids.every((id) => /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(id)));
  assert.equal(new Set(ulids).size, ulids.length);
  assert.deepEqual(ulids, ulids.toSorted());
  assert.match(ids.uuid(), /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
