import { continueOrder } from '../../dispatch/orders/continue-order.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { type ReviewComment, refuseApproval, refuseComments, returnWords } from '../../domain/review.ts';
import { approveReview, type ReturnedReview, returnClaimed, returnOrdered } from '../../operations/answer-review.ts';
import { findReview, type OpenReview } from '../../operations/find-review.ts';
import type { Calls } from '../node-client.ts';
import type { ReviewAnswer } from '../review-contract.ts';
import { viewTask } from '../views.ts';
import type { OrderParts } from './order-records.ts';
import { submit } from './task-calls.ts';
import { refuseWorkspaceFault } from './work-calls.ts';

type Options = Parameters<typeof submit>[2];

/** A person's answers to reviews. The first one counts, and is recorded with its author. */
export function reviewCalls(parts: OrderParts) {
  const { ledger } = parts.world;
  return {
    approveReview: async ({ task, message = null }, options) => {
      const review = refuseApproval(message) ?? findReview(ledger.read, task);
      if (isRefusal(review)) return review;
      const facts = { taskId: review.taskId, seq: review.seq, message };
      return viewAnswer('approved', await submit(ledger, { command: approveReview, facts }, options));
    },
    returnReview: async ({ task, message, comments: given = [] }, options) => {
      const comments: readonly ReviewComment[] = [...(message === undefined ? [] : [{ text: message }]), ...given];
      const found = refuseComments(comments) ?? findReview(ledger.read, task);
      if (isRefusal(found)) return found;
      const { isOrdered, ...review } = found;
      const returned = { ...review, comments };
      if (isOrdered) return await returnByOrder(parts, returned, options);
      return viewAnswer('returned', await submit(ledger, { command: returnClaimed, facts: returned }, options));
    },
  } satisfies Partial<Calls>;
}

/** The agent goes on as by `baton continue`, in the transaction that records the return. */
async function returnByOrder(
  { world, runner, dispatcher }: OrderParts,
  returned: OpenReview & { readonly comments: readonly ReviewComment[] },
  options: Options = {},
): Promise<ReviewAnswer | Refusal> {
  const { taskId, comments } = returned;
  // A settled order whose report is still being written is over in a moment.
  await (dispatcher ? dispatcher.report(taskId) : runner.finish(taskId));
  const answer = await continueOrder(
    world,
    { task: taskId, text: returnWords(comments) },
    {
      ...options,
      report: (task) => (dispatcher ? dispatcher.report(task) : runner.finish(task)),
      begin: (tx, asked) => returnOrdered(tx, { ...returned, asked }),
    },
  ).catch(refuseWorkspaceFault);
  if (isRefusal(answer)) return answer;
  dispatcher?.carry(answer.task.id);
  return viewAnswer('returned', answer as typeof answer & ReturnedReview, answer.plan);
}

type Answered = Omit<ReturnedReview, 'items'> & Partial<Pick<ReturnedReview, 'items'>>;

function viewAnswer(
  answer: ReviewAnswer['answer'],
  answered: Answered | Refusal,
  plan: ReviewAnswer['plan'] = null,
): ReviewAnswer | Refusal {
  if (isRefusal(answered)) return answered;
  const { task, events, items = [] } = answered;
  const [first] = events;
  const at = new Date(first?.at ?? task.updatedAt).toISOString();
  return { task: viewTask(task), answer, by: first?.actor ?? '', at, items, plan };
}
