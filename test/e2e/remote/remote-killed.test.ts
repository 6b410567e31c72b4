import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { NodeStage } from '../../support/federation/joined-nodes.ts';
import { remoteCrashPoints } from '../../support/ledger/crash-points.ts';
import { killRemote, REMOTE_KILLS } from '../../support/remote/kill-remote.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const stage = new NodeStage('remote-killed');

/** The others are in `npm run faults`. */
const KILLED_HERE = [
  'federation.sent',
  'parcel.unpacked',
  'federation.accepted',
  'federation.answer',
  'federation.bring',
];

test('every crash point on the way of a task is in the table', () => {
  assert.deepEqual([...new Set(REMOTE_KILLS.map(({ point }) => point))].toSorted(), remoteCrashPoints());
});

describe('a task between two nodes goes on, and is done once, where a node is killed', {
  concurrency: 3,
  skip: noBubblewrap,
}, () => {
  for (const [at, kill] of REMOTE_KILLS.filter(({ point }) => KILLED_HERE.includes(point)).entries()) {
    test(`at ${kill.point} of ${kill.node}`, () => killRemote(stage, `n${at}`, kill));
  }
});
