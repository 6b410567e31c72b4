import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeIncident, isFederationIncident } from './describe-incident.ts';

const CASES = [
  ['join_request:tower', null, 'node tower asks to be trusted', 'tower', ['trust', 'remove']],
  ['changed_key:tower', null, 'node tower shows another key', 'tower', ['trust', 'remove']],
  ['refused_frame:tower', null, 'node tower sent something that was refused', 'tower', ['remove', 'dismiss']],
  ['gap_halted:tower', null, 'reading node tower has halted at a gap', 'tower', ['remove']],
  ['node_silent:tower', null, 'node tower is silent', 'tower', []],
  ['gap', 'tower', 'events of node tower are lost', 'tower', ['dismiss']],
  ['gap', null, 'events are lost', null, ['dismiss']],
  ['undelivered', 'evt_1', 'an event was not delivered', null, ['dismiss']],
  ['storage_full', null, 'storage_full', null, ['doctor']],
  ['toString:x', null, 'toString:x', null, ['doctor']],
] as const;

for (const [kind, subject, title, node, actions] of CASES) {
  test(`${kind} about ${subject ?? 'nothing'} reads "${title}"`, () => {
    assert.deepEqual(describeIncident({ kind, subject }), { title, node, actions });
  });
}

test('the disk and the tree are no matter of the federation', () => {
  assert.deepEqual(['gap', 'changed_key:x', 'storage_full', 'mirror_enotdir', ''].map(isFederationIncident), [
    ...[true, true],
    ...[false, false, false],
  ]);
});
