import { MIRROR_BATCH_BYTES_MAX } from '../domain/limits.ts';
import type { TaskName } from '../domain/task.ts';
import { selectMeta } from '../ledger/statements/meta.ts';
import type { Reader } from '../ledger/tx.ts';
import { gatherFacts } from './gather-facts.ts';
import { planTask, type TaskPlan } from './plan-task.ts';
import type { TreeParts } from './tree-parts.ts';
import { TREE_FOLDERS } from './tree-paths.ts';

export interface BatchPlan {
  readonly plans: readonly TaskPlan[];
  /** The number of tasks that could not be planned. */
  readonly failed: number;
  /** Tasks for the next batch: this one is full. */
  readonly postponed: readonly TaskName[];
}

export interface BatchFacts {
  readonly tree: TreeParts;
  readonly read: Reader;
  /** True to read every file, also those that should be right. */
  readonly isThorough: boolean;
}

/** Reads each task and plans its writes. */
export async function planBatch(
  tasks: readonly TaskName[],
  { tree, read, isThorough }: BatchFacts,
): Promise<BatchPlan> {
  const { files, trouble, slice } = tree;
  slice.begin();
  files.forgetFolders();
  for (const folder of TREE_FOLDERS) trouble.guard(() => files.ensureFolder(folder));
  const gathering = { read, files, project: selectMeta(read, 'project'), isThorough };
  const plans: TaskPlan[] = [];
  let [bytes, at] = [0, 0];
  for (; at < tasks.length && bytes < MIRROR_BATCH_BYTES_MAX; at++) {
    if (slice.isOver) await slice.rest();
    const gathered = trouble.guard(() => gatherFacts(tasks[at] as TaskName, gathering));
    if (!gathered) continue;
    for (const folder of gathered.unfinishedIn) await files.sweep(folder);
    const plan = planTask(gathered);
    for (const { text } of plan.writes) bytes += text.length;
    plans.push(plan);
  }
  return { plans, failed: at - plans.length, postponed: tasks.slice(at) };
}
