import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { nameTask } from '../../operations/find-task.ts';
import { recordDelivery, sayWords, undeliveredWords } from '../../operations/say-words.ts';
import type { RequestOf } from '../node-client.ts';
import type { SayAnswer } from '../talk-contract.ts';
import type { CallOptions } from '../task-view.ts';
import { viewTask } from '../views.ts';
import type { CarryParts } from './carry-and-stop.ts';
import { submit } from './submit.ts';

/** Keeps the words first, then tells the running agent: words that a crash leaves undelivered are told at the next turn. */
export async function sayByHand(
  { ledger, runner }: CarryParts,
  { task: reference, text }: RequestOf<'sayWords'>,
  options: CallOptions = {},
): Promise<SayAnswer | Refusal> {
  const taskId = nameTask(ledger.read, reference);
  if (isRefusal(taskId)) return taskId;
  const said = await submit(ledger, { command: sayWords, facts: { taskId, text } }, options);
  if (isRefusal(said)) return said;
  const { task, words } = said;
  const { runId } = task;
  const isNew = undeliveredWords(ledger.read, taskId).some(({ id }) => id === words.id);
  const isTold = isNew && runId !== null && runner.tell(runId, { kind: 'words', text });
  if (isTold) await ledger.submit(recordDelivery, { taskId, runId, words: [words.id], by: 'stream' });
  return { task: viewTask(task), words: words.id, text, isDelivered: isTold || !isNew, isRunning: runId !== null };
}
