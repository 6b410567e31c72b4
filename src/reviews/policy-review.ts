import { isRefusal, type Refusal, refuseTask } from '../domain/refusal.ts';
import type { Exchange } from '../domain/review/feedback-exchange.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { insertEvent, selectLastMove } from '../ledger/statements/events.ts';
import { selectTask } from '../ledger/statements/tasks.ts';
import type { Reader } from '../ledger/tx.ts';
import { moveByHand } from '../operations/task/move-by-hand.ts';
import { type Confirmation, type OfExchange, readOpen, writeEnd } from './record-exchange.ts';
import { endReturns } from './return-rounds.ts';

/**
 * Ends a review by policy that left nothing, and accepts the work for the reviewer: the very work that it saw, checked by Baton, and
 * never its own. Anything else waits for a person.
 */
export const endByApproval: Command<
  OfExchange & { readonly reviewer: string; readonly isChecked: boolean },
  Confirmation
> = (tx, { id, reviewer, isChecked }) => {
  const open = readOpen(tx, id);
  if (isRefusal(open)) return open;
  const { row, exchange } = open;
  const task = row.taskId === null ? null : selectTask(tx, row.taskId);
  const seq = row.taskId === null ? 0 : selectLastMove(tx, row.taskId).seq;
  const isSame = task?.status === 'review' && seq === exchange.reviewSeq;
  if (!isSame || !isChecked || task === null) {
    const message = isChecked ? null : 'the work is not checked, so a person decides';
    writeEnd(tx, row, { why: isSame ? 'nothing-left' : 'overtaken', message });
    return { isKept: true };
  }
  writeEnd(tx, row, { why: 'nothing-left', message: null });
  const payload = { seq, message: `nothing left after round ${exchange.round}`, feedback: id };
  endReturns(tx, task.id);
  insertEvent(tx, { type: 'review.approved', actor: reviewer, taskId: task.id, payload });
  moveByHand(tx, task, { to: 'done', actor: reviewer, reason: 'approved' });
  return { isKept: true };
};

/** Null unless somebody answered the review that the round was about. */
export function refuseOvertaken(tx: Reader, { subject, whenClean, reviewSeq }: Exchange): Refusal | null {
  if (whenClean === null || subject.kind !== 'task') return null;
  const isSame = selectTask(tx, subject.taskId)?.status === 'review';
  if (isSame && selectLastMove(tx, subject.taskId).seq === reviewSeq) return null;
  return refuseTask('review_answered', `somebody answered the review of ${subject.taskId} meanwhile`, subject.taskId);
}
