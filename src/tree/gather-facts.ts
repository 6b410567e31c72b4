import type { TaskName } from '../domain/task.ts';
import { isTerminal } from '../domain/task-lifecycle.ts';
import { encodeTaskText } from '../domain/task-text.ts';
import { selectHandoff } from '../ledger/statements/handoffs.ts';
import { type MirrorFile, selectMirrorFiles } from '../ledger/statements/mirror-files.ts';
import { selectRunsOfTask } from '../ledger/statements/runs.ts';
import { selectTask } from '../ledger/statements/tasks.ts';
import type { Reader } from '../ledger/tx.ts';
import type { PlanFacts } from './plan-task.ts';
import { renderTask } from './render-task.ts';
import type { TreeFiles } from './tree-files.ts';
import { folderOf, runPath } from './tree-paths.ts';

export interface Gathering {
  readonly read: Reader;
  readonly files: TreeFiles;
  readonly project: string | null;
  readonly isThorough: boolean;
}

export interface Gathered extends PlanFacts {
  /** Folders in which a process that died may have left a temporary file. */
  readonly unfinishedIn: readonly string[];
}

/** Reads one task at one instant: the files it should have, and those last written. */
export function gatherFacts(taskId: TaskName, { read, files, project, isThorough }: Gathering): Gathered {
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
