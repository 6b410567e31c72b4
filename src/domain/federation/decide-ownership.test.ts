import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decideJoin, decideOwnership, isAlive, isLeaseValid } from './decide-ownership.ts';

test('a node lives for 90 s after its last heartbeat', () => {
  assert.equal(isAlive({ status: 'active', ageMs: 89_999 }), true);
  assert.equal(isAlive({ status: 'active', ageMs: 90_000 }), false);
  assert.equal(isAlive({ status: 'left', ageMs: 0 }), false);
  assert.equal(isAlive(null), false);
});

test('an owner stops acting long before another may take over', () => {
  assert.equal(isLeaseValid(59_999), true);
  assert.equal(isLeaseValid(60_000), false);
});

test('an agent has one owner, and a standby takes it when the owner is dead', () => {
  assert.deepEqual(decideOwnership(null, 'a', false), { kind: 'register', fence: 1 });
  assert.deepEqual(decideOwnership({ node: 'a', fence: 4 }, 'a', false), { kind: 'keep', fence: 4 });
  assert.deepEqual(decideOwnership({ node: 'b', fence: 4 }, 'a', true), { kind: 'stand-by' });
  assert.deepEqual(decideOwnership({ node: 'b', fence: 4 }, 'a', false), { kind: 'take', fence: 5 });
});

test('a name belongs to the live node that has it, and of two copies of a node to the one that joined last', () => {
  const found = { instance: 'one', publicKey: 'k', status: 'active', ageMs: 10 };
  const process = (instance: string, publicKey: string, hasJoined: boolean) => ({ instance, publicKey, hasJoined });
  assert.equal(decideJoin(found, process('one', 'k', true)).kind, 'join');
  assert.equal(decideJoin(found, process('two', 'k', false)).kind, 'join');
  assert.equal(decideJoin(found, process('two', 'k', true)).kind, 'taken');
  assert.equal(decideJoin(found, process('two', 'other', false)).kind, 'taken');
  assert.equal(decideJoin({ ...found, ageMs: 90_000 }, process('two', 'other', false)).kind, 'join');
  assert.equal(decideJoin({ ...found, status: 'left' }, process('two', 'other', false)).kind, 'join');
  assert.equal(decideJoin(null, process('two', 'k', true)).kind, 'join');
});
