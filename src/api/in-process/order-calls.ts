import type { Dispatcher } from '../../dispatch/dispatcher.ts';
import type { OrderRunner } from '../../dispatch/order-runner.ts';
import { readRunLog } from '../../dispatch/run-log.ts';
import type { LeftWork } from '../../dispatch/work-of-task.ts';
import { OPERATOR } from '../../domain/decisions/decide-sender.ts';
import { replay } from '../../domain/execution/execution.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import { selectOrder } from '../../ledger/statements/orders.ts';
import { selectFacts } from '../../ledger/statements/run-facts.ts';
import { findTask } from '../../operations/find-task.ts';
import { requestStop } from '../../operations/request-stop.ts';
import type { LogPage, OrderClient } from '../order-contract.ts';
import type { CallOptions, TaskView } from '../task-view.ts';
import { viewTask } from '../views.ts';
import { reportOf } from './report-of-order.ts';
import { submit } from './submit.ts';
import { planWanted, submitWanted, type TakeParts } from './take-calls.ts';
import { workCalls } from './work-calls.ts';

export interface OrderParts extends TakeParts {
  readonly runner: OrderRunner;
  /** Carries out what is taken; null in a node that is there for one short command. */
  readonly dispatcher: Dispatcher | null;
}

/** Orders, without a wire. */
export function orderCalls(parts: OrderParts): OrderClient {
  const { world } = parts;
  const found = (reference: string) => leftWork(parts, reference);
  return {
    planOrder: (request) => planWanted(parts, request),
    submitOrder: async (request, options) => {
      const answer = await submitWanted(parts, request, options);
      if (!isRefusal(answer)) parts.dispatcher?.nudge();
      return answer;
    },
    orderReport: async (reference) => {
      const work = found(reference);
      return isRefusal(work) ? work : await reportOf(world, work);
    },
    stopOrder: (reference, options) => stop(parts, reference, options),
    readLog: async (reference, after) => readLog(parts, reference, after),
    ...workCalls(world, found),
  };
}

function leftWork({ world, readStored }: OrderParts, reference: string): LeftWork | Refusal {
  const { read } = world.ledger;
  const task = findTask(read, reference);
  if (isRefusal(task)) return task;
  const stored = selectOrder(read, task.id);
  if (!stored) return refuse('not_running', `${task.id} was never given to an agent`);
  return { task, round: stored.round, execution: replay(readStored(stored).order, selectFacts(read, stored)) };
}

async function stop(parts: OrderParts, reference: string, options: CallOptions = {}): Promise<TaskView | Refusal> {
  const { ledger } = parts.world;
  const task = findTask(ledger.read, reference);
  if (isRefusal(task)) return task;
  const answer = await submit(ledger, { command: requestStop, facts: { taskId: task.id, by: OPERATOR } }, options);
  if (isRefusal(answer)) return answer;
  parts.runner.stop(task.id, OPERATOR);
  parts.dispatcher?.drive(task.id);
  return viewTask(answer.task);
}

function readLog({ world }: OrderParts, reference: string, after: number): LogPage | Refusal {
  const task = findTask(world.ledger.read, reference);
  if (isRefusal(task)) return task;
  const isEnd = selectOrder(world.ledger.read, task.id)?.isOpen !== true;
  return { ...readRunLog(world.dataFolder, task.id, after), isEnd };
}
