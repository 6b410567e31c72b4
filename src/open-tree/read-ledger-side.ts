import type { Task, TaskName } from '../domain/task.ts';
import { decodeTaskText, encodeTaskText, fixedTextOf, type TaskText } from '../domain/task-text.ts';
import { selectMeta } from '../ledger/statements/meta.ts';
import { isMirrored, selectMirrorBase, selectMirrorFiles } from '../ledger/statements/mirror-files.ts';
import { selectTask } from '../ledger/statements/tasks.ts';
import type { Reader } from '../ledger/tx.ts';
import { isTaskFile, taskPath } from '../tree/tree-paths.ts';
import type { DiskSide, LedgerSide } from './compare.ts';

/** A file of a task that the ledger knows; the text was typed on this revision, as far as it says. */
export type Copy = DiskSide & { readonly revision: number | null };

export interface CopiesFound {
  readonly taskId: TaskName;
  /** The task's place first, then every other place that holds something. */
  readonly copies: readonly Copy[];
  /** The mirror waits for the answer; else a task that it has still to write is left to it. */
  readonly isHeld: boolean;
  /** Its whole folder is gone, which is told once and not file by file. */
  readonly isFolderGone: boolean;
  /** Free names for what is not taken over, as many as there are copies. */
  readonly keepAs: readonly string[];
}

/** A task and its file as the ledger has them, beside what was found. */
export interface SideFacts {
  readonly task: Task;
  /** Where Baton last wrote the task's file. */
  readonly place: string;
  readonly isPlaceEmpty: boolean;
  readonly isPending: boolean;
  /** As the task is by now. */
  ledgerSideOf(task: Task): LedgerSide;
}

/** Null where what was looked at is not what the ledger would have looked at. */
export function readLedgerSide(tx: Reader, { taskId, copies, isHeld }: CopiesFound): SideFacts | null {
  const task = selectTask(tx, taskId);
  if (!task) return null;
  const rows = selectMirrorFiles(tx, taskId);
  const places = rows.filter(({ path }) => isTaskFile(path, taskId));
  const isPending = !isMirrored(tx, taskId) || rows.some(({ nextSha256 }) => nextSha256 !== null);
  const place = places.length === 1 && places[0] ? places[0].path : taskPath(task.status, task.id);
  const atPlace = copies.find(({ path }) => path === place);
  if (!atPlace && !isHeld) return null;
  const isPlaceEmpty = atPlace === undefined || atPlace.kind === 'absent';
  const elsewhere = copies.filter(({ path, kind }) => path !== place && kind !== 'absent').length;
  const own = new Set(rows.flatMap((row) => [row.sha256, row.nextSha256]).filter((each) => each !== null));
  const project = selectMeta(tx, 'project');
  const ledgerSideOf = (now: Task): LedgerSide => ({
    id: task.id,
    text: asKept(now),
    fixed: fixedTextOf(now, project),
    place,
    isPlaceEmpty,
    others: Math.max(0, elsewhere - 1),
    own,
    isPending,
  });
  return { task, place, isPlaceEmpty, isPending, ledgerSideOf };
}

/** What the file of a task said at a revision; without one, what it says now. */
export function baseOf(tx: Reader, task: Task, revision: number | null): TaskText | null {
  if (revision === task.revision) return asKept(task);
  if (revision !== null && revision > task.revision) return null;
  const content = selectMirrorBase(tx, task.id as TaskName, revision ?? task.revision);
  if (content !== null) return decodeTaskText(content);
  return revision === null ? asKept(task) : null;
}

/** As JSON keeps it, so that two texts are compared alike. */
function asKept(task: Task): TaskText {
  return decodeTaskText(encodeTaskText(task));
}
