import { canMove, type TaskStatus } from '../domain/task/task-lifecycle.ts';
import type { TaskContent } from '../domain/task/task-text.ts';
import { changedFixed, type FixedText, type TaskEdit, type TaskText } from '../domain/task/task-text.ts';
import { mergeTask } from './merge-task.ts';

/** The task of a file, as the ledger has it. */
export interface LedgerSide {
  readonly id: string;
  readonly text: TaskText;
  readonly fixed: FixedText;
  /** The path at which Baton last wrote the task's file. */
  readonly ownPath: string;
  readonly isOwnPathEmpty: boolean;
  /** The number of further files of the task, besides this one and the one at its own path. */
  readonly others: number;
  /** Hashes of every content that Baton wrote, or is about to write, for this task. */
  readonly own: ReadonlySet<string>;
  /** The mirror has yet to write the task's file. */
  readonly isPending: boolean;
}

/** One path of the tree, as found. */
export type DiskSide =
  | { readonly kind: 'absent'; readonly path: string }
  /** A link, a pipe, too large, or not the file of a task. */
  | { readonly kind: 'unreadable'; readonly path: string; readonly problem: string }
  /** Without content, as after a power cut: nobody typed that. */
  | { readonly kind: 'empty'; readonly path: string; readonly sha256: string }
  | {
      readonly kind: 'file';
      readonly path: string;
      readonly sha256: string;
      /** The status of its folder; null if the folder is not a status. */
      readonly folder: TaskStatus | null;
      /** Null if Baton wrote the content: then it need not be parsed. */
      readonly content: TaskContent | null;
    };

/** The reason why an edit is rejected; `both_changed`: the task changed in the same fields since the file was written. */
export type ConflictReason = 'both_changed' | 'invalid_transition' | 'id_changed' | 'fixed_field' | 'two_copies';

/** The meaning of a file. */
export type Comparison =
  | { readonly kind: 'keep' }
  | { readonly kind: 'rewrite'; readonly why: 'missing' | 'same' }
  | { readonly kind: 'edit'; readonly edit: TaskEdit }
  | { readonly kind: 'move'; readonly to: TaskStatus }
  | { readonly kind: 'adopt' }
  /** A second file of the task, which is removed; the edit is what was typed in it, if anything. */
  | { readonly kind: 'stray'; readonly edit: TaskEdit | null }
  | {
      readonly kind: 'conflict';
      readonly reason: ConflictReason;
      readonly fields: readonly string[];
      /** False if all of the file is Baton's own text. */
      readonly isTyped: boolean;
    }
  | { readonly kind: 'unreadable'; readonly problem: string };

/** `base` is the text that Baton wrote with this revision; null if it is no longer known. */
export function compare(base: TaskText | null, ledger: LedgerSide | null, disk: DiskSide): Comparison {
  if (disk.kind === 'unreadable') return { kind: 'unreadable', problem: disk.problem };
  if (disk.kind === 'absent') return compareAbsent(ledger, disk.path);
  if (disk.kind === 'empty') return compareEmpty(ledger, disk.path);
  if (ledger === null) return { kind: 'adopt' };
  const isOwn = ledger.own.has(disk.sha256);
  if (disk.path === ledger.ownPath && isOwn) return { kind: 'keep' };
  if (disk.content === null && !isOwn) return { kind: 'unreadable', problem: 'it was not parsed' };
  const isHome = disk.path === ledger.ownPath || (ledger.isOwnPathEmpty && ledger.others === 0);
  if (!isHome) return compareStray(base, ledger, disk);
  return isOwn ? compareMoved(ledger, disk) : compareEdited(base, ledger, disk);
}

/** A deleted file is written again: a command cancels a task, not the deletion of its file. */
function compareAbsent(ledger: LedgerSide | null, path: string): Comparison {
  return ledger !== null && path === ledger.ownPath && !ledger.isPending
    ? { kind: 'rewrite', why: 'missing' }
    : { kind: 'keep' };
}

function compareEmpty(ledger: LedgerSide | null, path: string): Comparison {
  if (ledger === null) return { kind: 'unreadable', problem: 'it is empty' };
  return path === ledger.ownPath ? { kind: 'rewrite', why: 'missing' } : { kind: 'stray', edit: null };
}

type FoundFile = Extract<DiskSide, { kind: 'file' }>;

/** Baton's own text at another path, and no file at the task's own path. */
function compareMoved(ledger: LedgerSide, { folder, path }: FoundFile): Comparison {
  if (ledger.isPending || folder === ledger.text.status) return { kind: 'stray', edit: null };
  if (folder === null || !isNamedFor(path, ledger.id) || !canMove(ledger.text.status, folder)) {
    return { kind: 'conflict', reason: 'invalid_transition', fields: ['status'], isTyped: false };
  }
  return { kind: 'move', to: folder };
}

function compareEdited(base: TaskText | null, ledger: LedgerSide, disk: FoundFile): Comparison {
  const edit = editOf(base, ledger, disk);
  if ('kind' in edit) return edit;
  const to = statusAsked(base, ledger, disk);
  if (to === 'clash') return { kind: 'conflict', reason: 'both_changed', fields: ['status'], isTyped: true };
  if (to !== null && !canMove(ledger.text.status, to)) {
    return { kind: 'conflict', reason: 'invalid_transition', fields: ['status'], isTyped: true };
  }
  if (edit.changed.length === 0 && to === null) return { kind: 'rewrite', why: 'same' };
  return { kind: 'edit', edit: { ...edit, to } };
}

/** Two files of one task are never a move (aof:merge). */
function compareStray(base: TaskText | null, ledger: LedgerSide, disk: FoundFile): Comparison {
  if (ledger.own.has(disk.sha256)) return { kind: 'stray', edit: null };
  const edit = editOf(base, ledger, disk);
  if ('kind' in edit) return edit;
  const status = disk.content?.text.status;
  if (status !== ledger.text.status && status !== base?.status && base !== null) {
    return { kind: 'conflict', reason: 'two_copies', fields: ['status'], isTyped: true };
  }
  return { kind: 'stray', edit: edit.changed.length === 0 ? null : { ...edit, to: null } };
}

function editOf(base: TaskText | null, ledger: LedgerSide, { content }: FoundFile): Omit<TaskEdit, 'to'> | Comparison {
  if (content === null) return { kind: 'keep' };
  if (content.id !== null && content.id !== ledger.id) {
    return { kind: 'conflict', reason: 'id_changed', fields: ['id'], isTyped: true };
  }
  const fixed = changedFixed(content.fixed, ledger.fixed);
  if (fixed.length > 0) return { kind: 'conflict', reason: 'fixed_field', fields: fixed, isTyped: true };
  const merged = mergeTask({ base, ledger: ledger.text, disk: content.text });
  if (merged.kind === 'conflict') {
    return { kind: 'conflict', reason: 'both_changed', fields: merged.fields, isTyped: true };
  }
  return { text: merged.text, changed: merged.changed };
}

/** The status that the `status:` line and the folder ask for; a clash if they differ or the ledger moved the task too. */
function statusAsked(base: TaskText | null, ledger: LedgerSide, disk: FoundFile): TaskStatus | 'clash' | null {
  const now = ledger.text.status;
  const asked = new Set<TaskStatus>();
  const line = disk.content?.text.status ?? now;
  // Without a base only a line that differs from its folder can be a person's.
  if (base === null ? line !== disk.folder : line !== base.status) asked.add(line);
  if (disk.path !== ledger.ownPath && !ledger.isPending) {
    if (disk.folder === null) return 'clash';
    asked.add(disk.folder);
  }
  asked.delete(now);
  if (asked.size === 0) return null;
  if (asked.size > 1 || (base !== null && base.status !== now)) return 'clash';
  return [...asked][0] ?? null;
}

function isNamedFor(path: string, id: string): boolean {
  return path.endsWith(`/${id}.md`);
}
