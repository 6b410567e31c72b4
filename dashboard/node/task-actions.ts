import type { RequestOf } from '../../src/api/node-client.ts';
import { counted } from '../parts/format.ts';
import { call } from './call-node.ts';
import { NodeError } from './node-error.ts';

// Each changes something and resolves with a sentence about what came of it.

/** Brings the work into the person's files. */
export async function applyWork(task: string, how: { readonly yes?: boolean; readonly branch?: string } = {}) {
  const { files, branch } = await call('applyWork', { task, ...how });
  return branch === null ? `applied: ${counted(files.length, 'file')}` : `committed on the branch ${branch}`;
}

export async function discardWork(task: string): Promise<string> {
  await call('discardWork', { task });
  return 'discarded';
}

export async function undoWork(task: string, how: { readonly keep?: boolean } = {}): Promise<string> {
  const { files, saved } = await call('undoWork', { task, ...how });
  const kept = saved.length === 0 ? '' : `; your later changes of ${counted(saved.length, 'file')} are saved`;
  return `undone: ${counted(files.length, 'file')}${kept}`;
}

/** The person accepts work that is in review. The first answer counts; a later one is told whose it was. */
export async function approve(review: string, message?: string): Promise<string> {
  const { by } = await call('approveReview', { task: review, ...(message && { message }) });
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
  const { plan, items } = await call('returnReview', { task: review, ...body });
  const points = counted(items.length, 'point');
  return plan === null ? `sent back with ${points}` : `sent back to ${plan.agent.name} with ${points}`;
}

/** Continues a task: with words, with another agent. */
export async function continueTask(task: string, given: { text?: string; agent?: string }): Promise<string> {
  const body = { ...(given.text && { text: given.text }), ...(given.agent && { agent: given.agent }) };
  const { plan } = await call('continueTask', { task, ...body });
  return `${plan.agent.name} continues it`;
}

export async function say(task: string, text: string): Promise<string> {
  const { isDelivered } = await call('sayWords', { task, text });
  return isDelivered ? 'said' : 'kept: the agent hears it at its next turn';
}

export async function stopTask(task: string): Promise<string> {
  await call('stopOrder', { task });
  return 'stopped';
}

/** The first answer counts; a later one is told whose it was. */
export async function answer(question: string, option: string): Promise<string> {
  const { answer: given } = await call('answerQuestion', { task: question, answer: option });
  return `answered ${given?.answer ?? option}`;
}

/** Has the node run a waiting task now. */
export async function start(task: string): Promise<string> {
  await call('runTask', { task });
  return 'it starts when a slot is free';
}

export async function retry(task: string): Promise<string> {
  await call('retryTask', { task });
  return 'it is tried again';
}

export async function cancel(task: string): Promise<string> {
  await call('cancelTask', { task });
  return 'cancelled';
}

export async function moveTask(task: string, to: RequestOf<'moveTask'>['to']): Promise<string> {
  await call('moveTask', { task, to });
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
