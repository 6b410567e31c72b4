import { describe, test } from 'node:test';
import { NodeStage } from '../support/federation/joined-nodes.ts';
import { killRemote, REMOTE_KILLS } from '../support/remote/kill-remote.ts';
import { noBubblewrap } from '../support/test-process.ts';

const stage = new NodeStage('remote-kills');

describe('a task between two nodes goes on, and is done once, where a node is killed', {
  concurrency: 3,
  skip: noBubblewrap,
}, () => {
  for (const [at, kill] of REMOTE_KILLS.entries()) {
    test(`at ${kill.point} of ${kill.node}`, () => killRemote(stage, `n${at}`, kill));
  }
});
