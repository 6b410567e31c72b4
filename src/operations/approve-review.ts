import { OPERATOR } from '../domain/decisions/decide-sender.ts';
import { isRefusal } from '../domain/refusal.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { insertEvent } from '../ledger/statements/events.ts';
import { type OpenReview, reviewedTask } from './find-review.ts';
import { moveByHand } from './move-by-hand.ts';
import type { Moved } from './transition.ts';

interface Approval extends OpenReview {
  readonly message: string | null;
}

/** The operator accepts the work of a task in review: it is done. */
export const approveReview: Command<Approval, Moved> = (tx, { message, ...review }) => {
  const task = reviewedTask(tx, review);
  if (isRefusal(task)) return task;
  const payload = { seq: review.seq, message };
  const event = insertEvent(tx, { type: 'review.approved', actor: OPERATOR, taskId: task.id, payload });
  const moved = moveByHand(tx, task, { to: 'done', actor: OPERATOR, reason: message ?? 'approved' });
  return { task: moved.task, events: [event, ...moved.events] };
};
