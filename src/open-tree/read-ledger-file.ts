import { isReviewRequired, type Task, type TaskName } from '../domain/task/task.ts';
import {
  decodeTaskText,
  encodeTaskText,
  fixedTextOf,
  type TaskEdit,
  type TaskText,
  withTaskText,
} from '../domain/task/task-text.ts';
import { selectMeta } from '../ledger/statements/meta.ts';
import { isMirrored, selectMirrorBase, selectMirrorFiles } from '../ledger/statements/mirror-files.ts';
import { hasRunOutsideSandbox } from '../ledger/statements/orders.ts';
import { selectTask } from '../ledger/statements/tasks.ts';
import type { Reader } from '../ledger/tx.ts';
import { isTaskFile, taskPath } from '../tree/tree-paths.ts';
import type { DiskSide, LedgerSide } from './compare.ts';

/** A file of a known task, with the revision in its front matter. */
export type Copy = DiskSide & {
  readonly revision: number | null;
  /** When it was last written or renamed, in milliseconds since 1970; null where there is no file. */
  readonly changedAtMs: number | null;
};

export interface CopiesFound {
  readonly taskId: TaskName;
  /** The task's own path first, then every other path with a file. */
  readonly copies: readonly Copy[];
  /** True if the mirror waits for the judgement. Otherwise a task that it has yet to write is left to it. */
  readonly isHeld: boolean;
  /** True if the whole folder is gone, which is one incident and not one event a file. */
  readonly isFolderGone: boolean;
  /** Free names for rejected files, one a copy. */
  readonly asideNames: readonly string[];
}

/** A task and its file as the ledger has them. */
export interface LedgerFile {
  readonly task: Task;
  /** The path at which Baton last wrote the task's file. */
  readonly ownPath: string;
  readonly isOwnPathEmpty: boolean;
  readonly isPending: boolean;
  /** For the task as changed so far. */
  ledgerSideOf(task: Task): LedgerSide;
}

/** Null if the ledger changed since the files were read. */
export function readLedgerFile(tx: Reader, { taskId, copies, isHeld }: CopiesFound): LedgerFile | null {
  const task = selectTask(tx, taskId);
  if (!task) return null;
  const rows = selectMirrorFiles(tx, taskId);
  const ownPaths = rows.filter(({ path }) => isTaskFile(path, taskId));
  const isPending = !isMirrored(tx, taskId) || rows.some(({ nextSha256 }) => nextSha256 !== null);
  const ownPath = ownPaths.length === 1 && ownPaths[0] ? ownPaths[0].path : taskPath(task.status, task.id);
  const atOwnPath = copies.find(({ path }) => path === ownPath);
  if (!atOwnPath && !isHeld) return null;
  const isOwnPathEmpty = atOwnPath === undefined || atOwnPath.kind === 'absent';
  const elsewhere = copies.filter(({ path, kind }) => path !== ownPath && kind !== 'absent').length;
  const own = new Set(rows.flatMap((row) => [row.sha256, row.nextSha256]).filter((each) => each !== null));
  const project = selectMeta(tx, 'project');
  const ledgerSideOf = (now: Task): LedgerSide => ({
    id: task.id,
    text: asKept(now),
    fixed: fixedTextOf(now, project),
    ownPath,
    isOwnPathEmpty,
    others: Math.max(0, elsewhere - 1),
    own,
    isPending,
  });
  return { task, ownPath, isOwnPathEmpty, isPending, ledgerSideOf };
}

/** The text of a task's file at a revision; the current text if there is none. */
export function baseOf(tx: Reader, task: Task, revision: number | null): TaskText | null {
  if (revision === task.revision) return asKept(task);
  if (revision !== null && revision > task.revision) return null;
  const content = selectMirrorBase(tx, task.id as TaskName, revision ?? task.revision);
  if (content !== null) return decodeTaskText(content);
  return revision === null ? asKept(task) : null;
}

interface FoundEdit {
  readonly task: Task;
  /** Null for Baton's own text in another folder: a move. */
  readonly edit: TaskEdit | null;
}

/**
 * Baton cannot tell the files of an agent that runs without a sandbox from those of a person, so meanwhile no file moves a
 * task or lifts its review (aof:self-approval). A command does.
 */
export function mayBeAgents(tx: Reader, { changedAtMs }: Copy, { task, edit }: FoundEdit): boolean {
  const isReviewed = edit === null ? null : isReviewRequired(withTaskText(task, edit.text));
  const isApproval = edit === null || edit.to !== null || isReviewed !== isReviewRequired(task);
  return isApproval && hasRunOutsideSandbox(tx, changedAtMs ?? 0);
}

/** Through JSON, like the stored bases, so that both compare equal. */
function asKept(task: Task): TaskText {
  return decodeTaskText(encodeTaskText(task));
}
