import { assertNever } from '../domain/assert-never.ts';
import { FILESYSTEM } from '../domain/decisions/decide-sender.ts';
import { isRefusal } from '../domain/refusal.ts';
import type { TaskStatus } from '../domain/task-lifecycle.ts';
import type { TaskEdit } from '../domain/task-text.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { editByHand } from '../operations/edit-by-hand.ts';
import { moveByHand, refuseMoveByHand } from '../operations/move-by-hand.ts';
import { type Comparison, compare } from './compare.ts';
import { type FoundCopy, Judging } from './judging.ts';
import type { Judged } from './perform-judged.ts';
import { baseOf, type CopiesFound, type Copy, mayBeAgents, readLedgerSide } from './read-ledger-side.ts';

const UNATTRIBUTED = { reason: 'run_outside_sandbox', fields: ['status'] } as const;

/** Decides what the files of a task mean and applies it to the ledger (aof:hand-edits). */
export const judgeCopies: Command<CopiesFound, Judged> = (tx, facts) => {
  const side = readLedgerSide(tx, facts);
  if (side === null || (side.isPending && !facts.isHeld)) return { kind: 'later' };
  const judging = new Judging(tx, facts, side);
  const found = facts.copies.filter(({ kind }) => kind !== 'absent');
  for (const copy of found) judgeCopy(judging, copy);
  if (side.isOwnPathEmpty) restoreFile(judging, found.length);
  return judging.result();
};

function judgeCopy(judging: Judging, copy: Copy): void {
  const { tx, side } = judging;
  const comparison = compare(baseOf(tx, side.task, copy.revision), side.ledgerSideOf(judging.task), copy);
  if (copy.kind === 'file' || copy.kind === 'empty') followComparison(judging, comparison, copy);
  else if (comparison.kind === 'unreadable') judging.rejectUnreadable(copy.path, comparison.problem);
}

function followComparison(judging: Judging, comparison: Comparison, copy: FoundCopy): void {
  const { kind } = comparison;
  switch (kind) {
    case 'keep':
    case 'adopt':
      break;
    case 'rewrite':
      judging.accept(copy);
      break;
    case 'edit':
      edit(judging, copy, comparison.edit);
      break;
    case 'move':
      move(judging, copy, comparison.to);
      break;
    case 'stray':
      removeStray(judging, copy, comparison.edit);
      break;
    case 'conflict':
      judging.reject(copy, comparison);
      break;
    case 'unreadable':
      judging.rejectUnreadable(copy.path, comparison.problem);
      break;
    default:
      assertNever(kind);
  }
}

function edit(judging: Judging, copy: FoundCopy, typed: TaskEdit): void {
  const { tx, task } = judging;
  if (mayBeAgents(tx, copy, { task, edit: typed })) judging.reject(copy, { ...UNATTRIBUTED, isTyped: true });
  else if (applyTyped(judging, copy, typed)) judging.accept(copy);
}

/** False if the edit was refused; the file is then set aside. */
function applyTyped(judging: Judging, copy: FoundCopy, typed: TaskEdit): boolean {
  const applied = editByHand(judging.tx, judging.task, typed);
  if (isRefusal(applied)) judging.reject(copy, { reason: applied.code, fields: [applied.path], isTyped: true });
  else judging.applied(applied);
  return !isRefusal(applied);
}

function move(judging: Judging, copy: FoundCopy, to: TaskStatus): void {
  const { tx, task } = judging;
  if (mayBeAgents(tx, copy, { task, edit: null })) {
    judging.reject(copy, { ...UNATTRIBUTED, isTyped: false });
    return;
  }
  const refusal = refuseMoveByHand(tx, task, to);
  if (refusal) {
    judging.reject(copy, { reason: refusal.code, fields: ['status'], isTyped: false });
    return;
  }
  judging.applied(moveByHand(tx, task, { to, actor: FILESYSTEM, reason: null }));
  judging.accept(copy);
}

function removeStray(judging: Judging, copy: FoundCopy, typed: TaskEdit | null): void {
  if (typed !== null && !applyTyped(judging, copy, typed)) return;
  judging.log('tree.stray.removed', { path: copy.path, merged: typed?.changed ?? [] });
  judging.remove(copy);
}

/** The task's own path is empty: its file is written again, whatever other copies were found. */
function restoreFile(judging: Judging, found: number): void {
  const { side, facts, task } = judging;
  // The mirror writes a task that was moved, or is pending, in any case.
  if (task.status !== side.task.status || side.isPending) return;
  judging.clearOwnPath();
  if (found === 0 && !facts.isFolderGone) judging.log('tree.file.restored', { path: side.ownPath, reason: 'missing' });
}
