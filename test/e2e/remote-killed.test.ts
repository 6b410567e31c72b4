import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { federationCrashPoints } from '../support/crash-points.ts';
import { NodeStage } from '../support/joined-nodes.ts';
import { killRemote, type RemoteKill } from '../support/kill-remote.ts';
import { noBubblewrap } from '../support/test-process.ts';

const stage = new NodeStage('remote-killed');

/** Every crash point on the way of a task between nodes. */
const KILLS: Readonly<Record<string, RemoteKill>> = {
  'federation.send': { node: 'left', point: 'federation.send' },
  'federation.sent': { node: 'left', point: 'federation.sent' },
  'federation.bring': { node: 'left', point: 'federation.bring' },
  'federation.brought': { node: 'left', point: 'federation.brought' },
  'federation.recall': { node: 'left', point: 'federation.recall', isStopped: true },
  'federation.recalled': { node: 'left', point: 'federation.recalled', isStopped: true },
  'federation.accept': { node: 'right', point: 'federation.accept' },
  'federation.accepted': { node: 'right', point: 'federation.accepted' },
  'federation.answer': { node: 'right', point: 'federation.answer' },
  'federation.answered': { node: 'right', point: 'federation.answered' },
};

test('every crash point on the way of a task is in the table', () => {
  assert.deepEqual(Object.keys(KILLS).toSorted(), federationCrashPoints());
});

describe('a task between two nodes goes on, and is done once, where a node is killed', {
  concurrency: 4,
  skip: noBubblewrap,
}, () => {
  for (const [at, [point, kill]] of Object.entries(KILLS).entries()) {
    test(`at ${point} of ${kill.node}`, () => killRemote(stage, `n${at}`, kill));
  }
});
