import { test } from 'node:test';
import { assertHeals, OPEN_TREE_POINTS } from '../support/tree/crash-open-tree.ts';

for (const [point, counts] of OPEN_TREE_POINTS)
  for (const count of counts)
    test(`killed at ${point}, time ${count}, the tree heals, and nobody is taken to have done anything`, async () => {
      await assertHeals(point, count);
    });
