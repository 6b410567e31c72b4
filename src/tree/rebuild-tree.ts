import { MIRROR_TASKS_PER_BATCH_MAX } from '../domain/limits.ts';
import type { TaskName } from '../domain/task.ts';
import { selectTaskNames } from '../ledger/statements/mirror-files.ts';
import type { Reader } from '../ledger/tx.ts';
import { bringHomeStrays } from './bring-home-strays.ts';
import { rebuildEvents } from './rebuild-events.ts';
import type { TreeParts } from './tree-parts.ts';
import { TREE_FOLDERS } from './tree-paths.ts';
import type { TreeWriter } from './tree-writer.ts';

export interface RebuildParts {
  readonly read: Reader;
  readonly tree: TreeParts;
  readonly writer: TreeWriter;
}

export interface Rebuilt {
  readonly tasks: number;
  /** Tasks whose files could not be written; an incident says why. */
  readonly failed: number;
  readonly events: number;
}

/** Every file is looked at and written where it is not what it should be; one batch at a time is in memory. */
export async function rebuildTree({ read, tree, writer }: RebuildParts): Promise<Rebuilt> {
  await bringHomeStrays(tree, read);
  // The folders are there also where there is no task.
  for (const folder of TREE_FOLDERS) tree.trouble.watch(() => tree.files.ensureFolder(folder));
  let [tasks, failed, after] = [0, 0, 0];
  for (;;) {
    const page = selectTaskNames(read, { after, limit: MIRROR_TASKS_PER_BATCH_MAX });
    const last = page.at(-1);
    if (!last) break;
    after = last.number;
    tasks += page.length;
    failed += await showAll(
      page.map(({ id }) => id),
      writer,
    );
  }
  return { tasks, failed, events: await rebuiltEvents(tree, read) };
}

/** What goes wrong with it opens an incident. */
export async function rebuiltEvents(tree: TreeParts, read: Reader): Promise<number> {
  try {
    return await rebuildEvents(tree, read);
  } catch (error) {
    tree.trouble.failed(error);
    return 0;
  }
}

/** What was too much for one batch comes in the next. */
async function showAll(tasks: readonly TaskName[], writer: TreeWriter): Promise<number> {
  let failed = 0;
  for (let left = tasks; left.length > 0; ) {
    const outcome = await writer.show(left, true);
    if (outcome === null) return failed + left.length;
    failed += outcome.failed;
    left = outcome.postponed;
  }
  return failed;
}
