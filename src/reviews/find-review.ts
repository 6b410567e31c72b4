import { isRefusal, type Refusal, refuse, refuseTask } from '../domain/refusal.ts';
import { readAttentionId } from '../domain/task/attention.ts';
import type { Task, TaskName } from '../domain/task/task.ts';
import type { TaskStatus } from '../domain/task/task-lifecycle.ts';
import { type ReviewAnswerRow, selectLastMove, selectReviewAnswer } from '../ledger/statements/events.ts';
import { selectOrder } from '../ledger/statements/orders.ts';
import { selectTask } from '../ledger/statements/tasks.ts';
import type { Reader } from '../ledger/tx.ts';
import { findTask } from '../operations/task/find-task.ts';

/** A review that waits for an answer: the task, and the transition that brought it there. */
export interface OpenReview {
  readonly taskId: TaskName;
  readonly seq: number;
}

/** The review that a task or an entry of the attention queue means; `isOrdered` if Baton ran an order of the task. */
export function findReview(read: Reader, reference: string): (OpenReview & { readonly isOrdered: boolean }) | Refusal {
  if (reference.startsWith('fbk_')) {
    const refusal = refuse('review_not_found', `${reference} is feedback in rounds, not the review of a task`);
    return { ...refusal, hint: `baton feedback ${reference} shows it, and asks what you decide` };
  }
  const item = readAttentionId(reference);
  const task = findTask(read, item?.taskId ?? reference);
  if (isRefusal(task)) return task;
  const open = { taskId: task.id, seq: item?.seq ?? selectLastMove(read, task.id).seq };
  return refuseAnswer(read, task, open) ?? { ...open, isOrdered: selectOrder(read, task.id) !== null };
}

/** The task of a review, or the reason why it cannot be answered any more. */
export function reviewedTask(read: Reader, review: OpenReview): Task | Refusal {
  const task = selectTask(read, review.taskId);
  if (!task) return refuse('task_not_found', `there is no task ${review.taskId}`);
  return refuseAnswer(read, task, review) ?? task;
}

/** Null if the review is open. Otherwise the refusal says who answered it, or what the task waits for. */
function refuseAnswer(read: Reader, task: Task, { seq }: OpenReview): Refusal | null {
  const last = selectLastMove(read, task.id);
  if (task.status === 'review' && seq === last.seq) return null;
  const isNewest = seq === last.seq;
  const answer = selectReviewAnswer(read, task.id, isNewest ? null : seq);
  if (answer !== null && (!isNewest || LEADS_TO[answer.type].includes(task.status))) {
    const how = answer.type === 'review.approved' ? 'approved' : 'returned';
    const at = new Date(answer.at).toISOString();
    return refuseTask(
      'review_answered',
      `the review of ${task.id} was ${how} before, by ${answer.actor} at ${at}`,
      task.id,
    );
  }
  if (!isNewest)
    return refuseTask('review_answered', `${last.actor} moved ${task.id} since: that review is over`, task.id);
  const refusal = refuse('review_not_found', `${task.id} is ${task.status}, not in review`);
  if (task.status !== 'blocked' && task.status !== 'deadletter') return refusal;
  return { ...refusal, hint: `baton task retry ${task.id}, or baton continue ${task.id} "what to do"` };
}

const LEADS_TO: Readonly<Record<ReviewAnswerRow['type'], readonly TaskStatus[]>> = {
  'review.approved': ['done'],
  'review.returned': ['ready', 'in-progress'],
};
