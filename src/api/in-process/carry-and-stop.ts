import type { Dispatcher } from '../../dispatch/dispatcher.ts';
import type { OrderRunner } from '../../dispatch/order-runner.ts';
import { OPERATOR } from '../../domain/decisions/decide-sender.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { selectTask } from '../../ledger/statements/tasks.ts';
import { findTask } from '../../operations/find-task.ts';
import { requestStop } from '../../operations/stop-order.ts';
import type { CallOptions, TaskView } from '../task-view.ts';
import { viewTask } from '../views.ts';
import { submit } from './submit.ts';

export interface CarryParts {
  readonly ledger: Ledger;
  readonly runner: OrderRunner;
  readonly dispatcher: Dispatcher | null;
}

/** Stops the order of a task for the operator. The request is committed before the run is stopped. */
export async function stopByHand(
  parts: CarryParts,
  reference: string,
  options: CallOptions = {},
): Promise<TaskView | Refusal> {
  const { ledger, runner, dispatcher } = parts;
  const task = findTask(ledger.read, reference);
  if (isRefusal(task)) return task;
  const answer = await submit(ledger, { command: requestStop, facts: { taskId: task.id, by: OPERATOR } }, options);
  if (isRefusal(answer)) return answer;
  runner.stop(task.id, OPERATOR);
  dispatcher?.drive(task.id);
  // This node runs no agents: an order that a dead node left behind is settled and reported here.
  if (dispatcher === null) await runner.drive(task.id);
  return viewTask(selectTask(ledger.read, task.id) ?? answer.task);
}

/** Carries out a waiting task, where this node runs agents. */
export function carryByHand({ ledger, dispatcher }: CarryParts, reference: string): TaskView | Refusal {
  const task = findTask(ledger.read, reference);
  if (isRefusal(task)) return task;
  dispatcher?.carry(task.id);
  return viewTask(task);
}
