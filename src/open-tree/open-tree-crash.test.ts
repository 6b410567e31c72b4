import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openTestLedger, suiteScratch, type TestLedger } from '../../test/support/test-ledger.ts';
import { assertHeals, OPEN_TREE_POINTS, playUntilKilled, rebuilt } from '../../test/support/tree/crash-open-tree.ts';
import { TestOpenTree } from '../../test/support/tree/test-open-tree.ts';
import { filesBelow } from '../../test/support/tree/test-tree.ts';

// The last time of each point: `npm run faults` has all of them.
for (const [point, counts] of OPEN_TREE_POINTS)
  test(`killed at ${point}, the tree heals, and nobody is taken to have done anything`, async () => {
    await assertHeals(point, counts.at(-1) ?? 1);
  });

/** The ids of tests are counted: those of the process that died are not to come again. */
function reopened(folder: string): TestLedger {
  const at = openTestLedger(folder);
  for (let used = 0; used < 1_000; used++) at.ids.ulid();
  return at;
}

const HAND_EVENTS: Readonly<Record<string, string>> = {
  edited: 'task.edited by filesystem',
  moved: 'task.transitioned by filesystem',
  added: 'task.created by filesystem',
};

test('killed anywhere, each thing that was done by hand took effect once', async () => {
  let killed = 0;
  for (const point of ['commit.before', 'commit.after', 'mirror.file-written', 'mirror.settled', 'mirror.removed']) {
    for (const count of point.startsWith('commit') ? [11, 12, 13, 15] : [1, 5]) {
      const folder = mkdtempSync(join(suiteScratch(), 'killed-'));
      const { isKilled, done } = playUntilKilled(folder, 'hand', `${point}:${count}`);
      if (isKilled) killed++;
      const tree = TestOpenTree.started(reopened(folder));
      await tree.look();
      const byHand = tree.happened().filter((each) => each.endsWith('by filesystem'));
      const at = `${point}:${count}`;
      assert.deepEqual(byHand.sort(), done.map((each) => HAND_EVENTS[each]).sort(), at);
      assert.deepEqual(tree.incidents(), [], at);
      assert.deepEqual(filesBelow(folder), await rebuilt(tree), at);
      await tree.stop();
    }
  }
  assert.ok(killed >= 10, `killed ${killed} times`);
});
