import type { OrderAnswer, WorkAnswer } from '../../src/api/order-contract.ts';
import type { ReviewAnswer } from '../../src/api/review-contract.ts';
import type { QuestionView, SayAnswer } from '../../src/api/talk-contract.ts';
import type { TaskView } from '../../src/api/task-view.ts';
import { counted } from '../parts/format.ts';
import { change, part } from './call-node.ts';
import { NodeError } from './node-error.ts';

// Each changes something and resolves with a sentence about what came of it.

function pathOf(task: string, verb: string): string {
  return `/v1/tasks/${part(task)}/${verb}`;
}

/** Brings the work into the person's files. */
export async function applyWork(task: string, how: { readonly yes?: boolean; readonly branch?: string } = {}) {
  const { files, branch } = await change<WorkAnswer>(pathOf(task, 'apply'), { body: how, isOnce: true });
  return branch === null ? `applied: ${counted(files.length, 'file')}` : `committed on the branch ${branch}`;
}

export async function discardWork(task: string): Promise<string> {
  await change<WorkAnswer>(pathOf(task, 'discard'));
  return 'discarded';
}

export async function undoWork(task: string, how: { readonly keep?: boolean } = {}): Promise<string> {
  const { files, saved } = await change<WorkAnswer>(pathOf(task, 'undo'), { body: how, isOnce: true });
  const kept = saved.length === 0 ? '' : `; your later changes of ${counted(saved.length, 'file')} are saved`;
  return `undone: ${counted(files.length, 'file')}${kept}`;
}

/** The person accepts work that is in review. The first answer counts; a later one is told whose it was. */
export async function approve(review: string, message?: string): Promise<string> {
  const { by } = await change<ReviewAnswer>(pathOf(review, 'approve'), { body: message ? { message } : {} });
  return `approved by ${by}`;
}

/** Brings the work in and accepts it; work that does not apply is not accepted. */
export async function applyAndApprove(task: string, review: string, message?: string): Promise<string> {
  const applied = await applyWork(task);
  return `${applied}, ${await approve(review, message)}`;
}

export interface LineComment {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** Sends work in review back to its agent, with a message, with comments on lines, or with both. */
export async function sendBack(review: string, message: string, comments: readonly LineComment[] = []) {
  const body = { ...(message !== '' && { message }), ...(comments.length > 0 && { comments }) };
  const { plan, items } = await change<ReviewAnswer>(pathOf(review, 'return'), { body });
  const points = counted(items.length, 'point');
  return plan === null ? `sent back with ${points}` : `sent back to ${plan.agent.name} with ${points}`;
}

/** Goes on with a task: with words, with another agent. */
export async function continueTask(task: string, given: { text?: string; agent?: string }): Promise<string> {
  const body = { ...(given.text && { text: given.text }), ...(given.agent && { agent: given.agent }) };
  const { plan } = await change<OrderAnswer>(pathOf(task, 'continue'), { body });
  return `${plan.agent.name} goes on with it`;
}

export async function say(task: string, text: string): Promise<string> {
  const { isDelivered } = await change<SayAnswer>(pathOf(task, 'say'), { body: { text } });
  return isDelivered ? 'said' : 'kept: the agent hears it at its next turn';
}

export async function stopTask(task: string): Promise<string> {
  await change<TaskView>(pathOf(task, 'stop'));
  return 'stopped';
}

/** The first answer counts; a later one is told whose it was. */
export async function answer(question: string, option: string): Promise<string> {
  const { answer: given } = await change<QuestionView>(pathOf(question, 'answer'), { body: { answer: option } });
  return `answered ${given?.answer ?? option}`;
}

/** Has the node carry out a waiting task now. */
export async function start(task: string): Promise<string> {
  await change<TaskView>(pathOf(task, 'carry'));
  return 'it starts when a slot is free';
}

export async function retry(task: string): Promise<string> {
  await change<TaskView>(pathOf(task, 'retry'));
  return 'it is tried again';
}

export async function cancel(task: string): Promise<string> {
  await change<TaskView>(pathOf(task, 'cancel'));
  return 'cancelled';
}

export async function moveTask(task: string, to: string): Promise<string> {
  await change<TaskView>(pathOf(task, 'move'), { body: { to } });
  return `moved to ${to}`;
}

/** Stops every one of them; one that ended meanwhile is stopped too. */
export async function stopAll(tasks: readonly string[]): Promise<string> {
  const failed: string[] = [];
  for (const result of await Promise.allSettled(tasks.map(stopTask))) {
    if (result.status === 'fulfilled') continue;
    const { reason } = result;
    if (!(reason instanceof NodeError && reason.code === 'not_running')) failed.push(String(reason.message ?? reason));
  }
  if (failed.length > 0) throw new Error(`${failed.length} of ${tasks.length} could not be stopped: ${failed[0]}`);
  return `stopped ${counted(tasks.length, 'task')}`;
}
