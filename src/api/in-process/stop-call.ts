import { OPERATOR } from '../../domain/decisions/decide-sender.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import type { Task } from '../../domain/task.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { findTask } from '../../operations/find-task.ts';
import { requestStop } from '../../operations/request-stop.ts';
import type { CallOptions } from '../task-view.ts';
import { submit } from './submit.ts';

/** A person wants the work of a task to end: written down before anybody is told. */
export async function stopByHand(
  ledger: Ledger,
  reference: string,
  options: CallOptions = {},
): Promise<Task | Refusal> {
  const task = findTask(ledger.read, reference);
  if (isRefusal(task)) return task;
  const answer = await submit(ledger, { command: requestStop, facts: { taskId: task.id, by: OPERATOR } }, options);
  return isRefusal(answer) ? answer : answer.task;
}
