import { OPERATOR } from '../domain/decisions/decide-sender.ts';
import { isRefusal } from '../domain/refusal.ts';
import { type ReturnedItem, type ReviewComment, returnedItems } from '../domain/review.ts';
import type { Task } from '../domain/task.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { insertEvent } from '../ledger/statements/events.ts';
import type { Tx } from '../ledger/tx.ts';
import { type OpenReview, reviewedTask } from './find-review.ts';
import { appendToBody } from './message-outcome.ts';
import { moveByHand, refuseMoveByHand } from './move-by-hand.ts';
import { type ContinuedOrder, continueTask, refuseContinue } from './order-rounds.ts';
import type { TaskChange } from './transition.ts';

interface Return extends OpenReview {
  readonly comments: readonly ReviewComment[];
}

export interface ReturnedReview extends TaskChange {
  readonly items: readonly ReturnedItem[];
}

/** The work goes back to an agent that Baton did not start: its task is in progress again, the items in its work log. */
export const returnClaimed: Command<Return, ReturnedReview> = (tx, facts) => {
  const task = reviewedTask(tx, facts);
  if (isRefusal(task)) return task;
  const refusal = refuseMoveByHand(tx, task, 'in-progress');
  if (refusal) return refusal;
  const returned = writeReturn(tx, task, facts);
  const moved = moveByHand(tx, returned.task, { to: 'in-progress', actor: OPERATOR, reason: 'returned' });
  return { ...returned, task: moved.task, events: [...returned.events, ...moved.events] };
};

/** The work goes back to the agent of its order, which goes on in its own session and folder. */
export const returnOrdered: Command<Return & { readonly asked: ContinuedOrder }, ReturnedReview> = (tx, facts) => {
  const task = reviewedTask(tx, facts);
  if (isRefusal(task)) return task;
  const refusal = refuseContinue(tx, task);
  if (refusal) return refusal;
  const returned = writeReturn(tx, task, facts);
  const moved = continueTask(tx, facts.asked);
  if (isRefusal(moved)) throw new Error(`${task.id}: ${moved.message}`);
  return { ...returned, task: moved.task, events: [...returned.events, ...moved.events] };
};

function writeReturn(tx: Tx, task: Task, { comments, seq }: Return): ReturnedReview {
  const items = returnedItems(comments, seq);
  const payload = { seq, items };
  const event = insertEvent(tx, { type: 'review.returned', actor: OPERATOR, taskId: task.id, payload });
  const at = new Date(tx.moment.now.wallMs).toISOString();
  const told = items.map(({ aspect, text }, index) => `${index + 1}. ${aspect}: ${text.replaceAll(/\s*\n\s*/g, ' ')}`);
  const entry = `- ${at} Review: returned by ${OPERATOR} | ${told.join(' | ')}`;
  return { task: appendToBody(tx, task, entry) ?? task, events: [event], items };
}

interface Approval extends OpenReview {
  readonly message: string | null;
}

/** The operator accepts the work of a task in review: it is done. */
export const approveReview: Command<Approval, TaskChange> = (tx, { message, ...review }) => {
  const task = reviewedTask(tx, review);
  if (isRefusal(task)) return task;
  const payload = { seq: review.seq, message };
  const event = insertEvent(tx, { type: 'review.approved', actor: OPERATOR, taskId: task.id, payload });
  const moved = moveByHand(tx, task, { to: 'done', actor: OPERATOR, reason: message ?? 'approved' });
  return { task: moved.task, events: [event, ...moved.events] };
};
