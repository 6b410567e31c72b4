import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertHealed, CRASH_POINTS, newFolder, playUntil } from '../support/tree/crash-tree.ts';

for (const point of CRASH_POINTS) {
  test(`killed at ${point}, every time it is got to, the tree is as if it had not been`, async (context) => {
    let count = 1;
    for (; ; count++) {
      const folder = newFolder();
      const { isKilled, typed } = playUntil(`${point}:${count}`, folder);
      await assertHealed(folder, typed);
      if (!isKilled) break;
    }
    assert.ok(count > 1, 'it never got there');
    context.diagnostic(`${count - 1} times`);
  });
}
