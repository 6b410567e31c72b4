import type { NodeClient } from '../api/contract.ts';
import { TREE_WAIT_MS_MAX } from '../domain/limits.ts';
import { waitAtMost } from '../platform/wait-at-most.ts';

/** Waits, but not for ever, until the files of these tasks show what was changed; false where they do not yet. */
export async function treeShows(client: NodeClient, tasks: readonly string[]): Promise<boolean> {
  return tasks.length === 0 || (await waitAtMost(client.treeSettled(tasks), TREE_WAIT_MS_MAX));
}
