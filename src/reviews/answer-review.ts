import { isRefusal } from '../domain/refusal.ts';
import type { PlacedFinding } from '../domain/review/exchange-fact.ts';
import { itemOfFinding, type ReturnedItem, type ReviewComment, returnedItems } from '../domain/review/review.ts';
import { OPERATOR } from '../domain/task/decide-sender.ts';
import type { Task } from '../domain/task/task.ts';
import { inOneLine } from '../domain/words/in-one-line.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { insertEvent } from '../ledger/statements/events.ts';
import { selectOrder } from '../ledger/statements/orders.ts';
import type { Tx } from '../ledger/tx.ts';
import { appendToBody } from '../operations/message/message-outcome.ts';
import { type ContinuedOrder, continueTask, refuseContinue } from '../operations/order/order-rounds.ts';
import { moveByHand, refuseMoveByHand } from '../operations/task/move-by-hand.ts';
import type { TaskChange } from '../operations/task/transition.ts';
import { type OpenReview, reviewedTask } from './find-review.ts';
import { endReturns, writeReturnRound } from './return-rounds.ts';

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
  const { comments, seq } = facts;
  const returned = writeReturn(tx, task, { items: returnedItems(comments, seq), seq });
  const moved = moveByHand(tx, returned.task, { to: 'in-progress', actor: OPERATOR, reason: 'returned' });
  return { ...returned, task: moved.task, events: [...returned.events, ...moved.events] };
};

interface OrderedReturn extends OpenReview {
  /** The points, each with the item that it is. */
  readonly found: readonly PlacedFinding[];
  readonly asked: ContinuedOrder;
}

/** The feedback whose next round a return is. */
export interface ReturnedOrder extends ReturnedReview {
  readonly feedback: string;
}

/** The work goes back to the agent of its order, which continues in its own session and folder and decides on each point. */
export const returnOrdered: Command<OrderedReturn, ReturnedOrder> = (tx, { asked, found, ...review }) => {
  const task = reviewedTask(tx, review);
  if (isRefusal(task)) return task;
  const refusal = refuseContinue(tx, task);
  if (refusal) return refusal;
  const items = found.map(({ finding }) => itemOfFinding(finding));
  const returned = writeReturn(tx, task, { items, seq: review.seq });
  const moved = continueTask(tx, asked);
  if (isRefusal(moved)) throw new Error(`${task.id}: ${moved.message}`);
  const { id: feedback } = writeReturnRound(tx, {
    taskId: task.id,
    workspace: asked.order.workspaceRoot,
    fixer: asked.task.agent,
    found,
    orderRound: selectOrder(tx, task.id)?.round ?? 1,
  });
  return { ...returned, task: moved.task, events: [...returned.events, ...moved.events], feedback };
};

function writeReturn(
  tx: Tx,
  task: Task,
  { items, seq }: Pick<ReturnedReview, 'items'> & Pick<OpenReview, 'seq'>,
): ReturnedReview {
  const payload = { seq, items };
  const event = insertEvent(tx, { type: 'review.returned', actor: OPERATOR, taskId: task.id, payload });
  const at = new Date(tx.moment.now.wallMs).toISOString();
  const told = items.map(({ aspect, text }, index) => `${index + 1}. ${aspect}: ${inOneLine(text)}`);
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
  endReturns(tx, task.id);
  const payload = { seq: review.seq, message };
  const event = insertEvent(tx, { type: 'review.approved', actor: OPERATOR, taskId: task.id, payload });
  const moved = moveByHand(tx, task, { to: 'done', actor: OPERATOR, reason: message ?? 'approved' });
  return { task: moved.task, events: [event, ...moved.events] };
};
