import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type NodeRecord, readNodeRecord } from './node-record.ts';

const RECORD: NodeRecord = {
  nodeId: 'anna-desk',
  status: 'active',
  instance: 'i1',
  keys: { publicKey: 'p', exchangeKey: 'x', signature: 's' },
  epoch: 'e1',
  seq: 7,
  heartbeatAt: '2026-11-18T08:00:00.000Z',
  startedAt: '2026-11-18T07:00:00.000Z',
  version: '0.1.0',
  room: 2,
  agents: [{ name: 'emma', role: 'engineer', provider: 'CODEX', model: 'm', load: 1, slots: 3 }],
  skills: [{ name: 'review', version: '1' }],
};

test('a record is read as its node wrote it', () => {
  assert.deepEqual(readNodeRecord(JSON.stringify(RECORD)), RECORD);
});

test('fields of a newer node are dropped', () => {
  const newer = { ...RECORD, colour: 'red', keys: { ...RECORD.keys, next: 'n' } };
  assert.deepEqual(readNodeRecord(JSON.stringify(newer)), RECORD);
});

/** Only their names make a record: an older node leaves the others out. */
test('what is missing or wrong beside the names counts as nothing', () => {
  const { nodeId, status, instance, keys, epoch } = RECORD;
  const empty = { seq: 0, heartbeatAt: '', startedAt: '', version: '', room: 0, agents: [], skills: [] };
  const names = { nodeId, status, instance, keys, epoch };
  assert.deepEqual(readNodeRecord(JSON.stringify(names)), { ...names, ...empty });
  const wrong = { seq: -1, heartbeatAt: {}, startedAt: null, version: [], room: 1.5, agents: {}, skills: 'x' };
  assert.deepEqual(readNodeRecord(JSON.stringify({ ...names, ...wrong })), { ...names, ...empty });
});

test('agents and skills without a name are left out, and the others stay', () => {
  const agents = [null, 'emma', { name: '' }, { name: 1 }, { name: 'otto' }];
  const skills = [{ name: 'a' }, { name: 'b', version: 1 }, { name: 'c', version: '2' }];
  const read = readNodeRecord(JSON.stringify({ ...RECORD, agents, skills }));
  assert.deepEqual(read?.agents, [{ name: 'otto', role: '', provider: '', model: '', load: 0, slots: 0 }]);
  assert.deepEqual(read?.skills, [{ name: 'c', version: '2' }]);
});

const NO_RECORDS: readonly (readonly [what: string, text: string])[] = [
  ['no JSON', '{'],
  ['no object', '[]'],
  ['null', 'null'],
  ['no name', JSON.stringify({ ...RECORD, nodeId: undefined })],
  ['a name that is no key', JSON.stringify({ ...RECORD, nodeId: 'a.b' })],
  ['a name that is no text', JSON.stringify({ ...RECORD, nodeId: 1 })],
  ['an unknown status', JSON.stringify({ ...RECORD, status: 'asleep' })],
  ['no instance', JSON.stringify({ ...RECORD, instance: null })],
  ['no epoch', JSON.stringify({ ...RECORD, epoch: 4 })],
  ['no keys', JSON.stringify({ ...RECORD, keys: undefined })],
  ['a key that is no text', JSON.stringify({ ...RECORD, keys: { ...RECORD.keys, signature: 1 } })],
];

for (const [what, text] of NO_RECORDS) {
  test(`${what} is no record of a node`, () => {
    assert.equal(readNodeRecord(text), null);
  });
}
