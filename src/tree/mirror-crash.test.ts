import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertHealed, CRASH_POINTS, newFolder, playUntil } from '../../test/support/tree/crash-tree.ts';

/** Which times a step is got to: the first, and one amid moves between folders and runs. test/faults has them all. */
const COUNTS: Readonly<Record<(typeof CRASH_POINTS)[number], readonly number[]>> = {
  'mirror.intents-recorded': [1, 4],
  'mirror.temp-written': [1, 12],
  'mirror.file-written': [5, 16],
  'mirror.renamed': [1, 3],
  'mirror.folder-renamed': [1, 2],
  'mirror.kept-aside': [1],
  'mirror.events-appended': [1, 4],
  'mirror.settled': [2, 6],
};

for (const point of CRASH_POINTS) {
  for (const count of COUNTS[point]) {
    test(`killed at ${point}, time ${count}, the tree is as if it had not been`, async () => {
      const folder = newFolder();
      const { isKilled, typed } = playUntil(`${point}:${count}`, folder);
      assert.ok(isKilled, 'it never got there');
      await assertHealed(folder, typed);
    });
  }
}

test('killed again in the recovery, at each step of it, the tree heals all the same', async () => {
  const steps = ['mirror.removed:1', 'mirror.renamed:1', 'mirror.temp-written:1', 'mirror.settled:1'];
  const killed = new Set<string>();
  for (const first of ['mirror.intents-recorded', 'mirror.renamed']) {
    const { folder, typed } = killedEarly(first);
    for (const step of steps) if (playUntil(step, folder, 'recover').isKilled) killed.add(step);
    await assertHealed(folder, typed);
  }
  assert.ok(killed.size >= 2, `only ${[...killed].join(', ')}`);
});

/** How many batches there are depends on how fast the machine is: the latest that it gets to. */
function killedEarly(point: string): { readonly folder: string; readonly typed: readonly string[] } {
  for (const count of [4, 3, 2, 1]) {
    const folder = newFolder();
    const { isKilled, typed } = playUntil(`${point}:${count}`, folder);
    if (isKilled) return { folder, typed };
  }
  throw new Error(`it never got to ${point}`);
}
