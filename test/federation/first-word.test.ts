import assert from 'node:assert/strict';
import { test } from 'node:test';
import { selectCursor } from '../../src/ledger/statements/federation/inbox.ts';
import { MemoryFederation } from '../support/federation/memory-federation.ts';

test('a message for all is delivered at once to nodes that its sender never met', async () => {
  const play = new MemoryFederation();
  const laptop = await play.join('laptop');
  const others = [await play.join('tower'), await play.join('shed')];
  await play.send(laptop, 'all', 'hello');
  await play.pass(3_000);
  for (const { parts } of others) {
    assert.equal(selectCursor(parts.ledger.read, 'laptop')?.lastFrame, 1, parts.nodeId);
  }
});
