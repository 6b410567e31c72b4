import { MIRROR_BATCH_BYTES_MAX } from '../domain/limits.ts';
import type { TaskName } from '../domain/task/task.ts';
import { isTerminal } from '../domain/task/task-lifecycle.ts';
import { encodeTaskText } from '../domain/task/task-text.ts';
import { selectHandoff } from '../ledger/statements/handoffs.ts';
import { selectMeta } from '../ledger/statements/meta.ts';
import { type MirrorFile, selectMirrorFiles } from '../ledger/statements/mirror-files.ts';
import { selectRunsOfTask } from '../ledger/statements/runs.ts';
import { selectTask } from '../ledger/statements/tasks.ts';
import type { Reader } from '../ledger/tx.ts';
import { type PlanFacts, planTask, type TaskPlan } from './plan-task.ts';
import { renderTask } from './render-task.ts';
import type { TreeFiles } from './tree-files.ts';
import type { TreeParts } from './tree-parts.ts';
import { folderOf, runPath, TREE_FOLDERS } from './tree-paths.ts';

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

interface Gathering {
  readonly read: Reader;
  readonly files: TreeFiles;
  readonly project: string | null;
  readonly isThorough: boolean;
}

interface GatheredFacts extends PlanFacts {
  /** Folders in which a process that died may have left a temporary file. */
  readonly unfinishedIn: readonly string[];
}

/** Reads one task at one instant: the files it should have, and those last written. */
function gatherFacts(taskId: TaskName, { read, files, project, isThorough }: Gathering): GatheredFacts {
  const task = selectTask(read, taskId);
  if (!task) throw new Error(`${taskId} is listed as unwritten but is not in the ledger`);
  const rows = selectMirrorFiles(read, taskId);
  const unfinished = rows.filter(({ nextSha256 }) => nextSha256 !== null);
  const readsAll = isThorough || unfinished.length > 0;
  const handoff = selectHandoff(read, taskId)?.request ?? null;
  const runs = task.fence === 0 ? [] : selectRunsOfTask(read, taskId);
  const settled = readsAll ? new Set<string>() : new Set(rows.map(({ path }) => path));
  // An earlier run never changes again, so its files are rendered only until they are written.
  const shown = runs.filter((run) => run === runs.at(-1) || !settled.has(runPath(taskId, 'run.json', run.fence)));
  return {
    taskId,
    revision: task.revision,
    fence: task.fence,
    files: renderTask({ task, runs: shown, handoff, project }),
    rows: unfinished.length > 0 ? rows.map((row) => asFound(row, files)) : rows,
    base: isTerminal(task.status) ? null : encodeTaskText(task),
    isThorough: readsAll,
    unfinishedIn: [...new Set(unfinished.map(({ path }) => folderOf(path)))],
  };
}

/** After a write that was begun and never settled, the file has the old content, the new one, or is missing. */
function asFound(row: MirrorFile, files: TreeFiles): MirrorFile {
  const found = files.inspect(row.path);
  if (found.kind === 'absent') return { ...row, sha256: null, nextSha256: null };
  const isNext = found.kind === 'file' && found.sha256 === row.nextSha256;
  return { ...row, sha256: isNext ? row.nextSha256 : row.sha256, nextSha256: null };
}
