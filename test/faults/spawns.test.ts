import { test } from 'node:test';
import { BubblewrapSandbox } from '../../src/agents/sandbox/bubblewrap/bubblewrap-sandbox.ts';
import { OpenSandbox } from '../../src/agents/sandbox/open/open-sandbox.ts';
import { spawnMany } from '../support/agent/spawn-many.ts';
import { noBubblewrap } from '../support/test-process.ts';

// In parts: a test of a long suite has a limit of its own.
for (const part of [1, 2, 3]) {
  test(`3,000 processes without a sandbox leave nothing behind (${part} of 3)`, async (context) => {
    context.diagnostic(await spawnMany(new OpenSandbox(), 3_000));
  });
}

test('1,000 processes in bubblewrap leave nothing behind', { skip: noBubblewrap }, async (context) => {
  context.diagnostic(await spawnMany(new BubblewrapSandbox('/usr/bin/bwrap'), 1_000));
});
