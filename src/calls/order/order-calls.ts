import type { Calls } from '../../api/node-client.ts';
import type { CallOptions, TaskView } from '../../api/task/task-view.ts';
import { viewTask } from '../../api/task/views.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { OPERATOR } from '../../domain/task/decide-sender.ts';
import { selectTask } from '../../ledger/statements/tasks.ts';
import { requestStop } from '../../operations/order/stop-order.ts';
import { findTask } from '../../operations/task/find-task.ts';
import { continueOrder, planAgain } from '../../orders/continue-order.ts';
import { planRun, type RunTaskParts, runTask } from '../../orders/run-task.ts';
import { planSentOrder } from '../../remote/sender/plan-sent-order.ts';
import { questionCalls, reviewCalls } from '../review/review-calls.ts';
import { sessionCalls } from '../session/session-calls.ts';
import { submit } from '../task/task-calls.ts';
import { rewindCalls } from '../work/rewind-calls.ts';
import { refuseWorkspaceFault, workCalls } from '../work/work-calls.ts';
import { begin, logPage, type OrderParts } from './order-records.ts';
import { planAnywhere, takeOrder } from './take-order.ts';

export type OrderCalls = ReturnType<typeof orderCalls>;

/** Orders, and the work that was done for them. */
export function orderCalls(parts: OrderParts) {
  const { world } = parts;
  return {
    planAgain: (request) => planAgain(world, request).catch(refuseWorkspaceFault),
    planOrder: (request) => planAnywhere(parts, request).catch(refuseWorkspaceFault),
    submitOrder: async (request, options) => {
      const answer = await takeOrder(parts, request, options).catch(refuseWorkspaceFault);
      if (isRefusal(answer)) return answer;
      await begin(parts, answer.task);
      return { task: viewTask(answer.task), plan: answer.plan };
    },
    planRun: (request) => planRun(world, request, finishing(parts)).catch(refuseWorkspaceFault),
    runTask: async (request, options) => {
      const answer = await runTask(world, request, { ...options, ...finishing(parts) }).catch(refuseWorkspaceFault);
      if (isRefusal(answer)) return answer;
      await begin(parts, answer.task);
      return { task: viewTask(answer.task), plan: answer.plan };
    },
    continueTask: async (request, options) => {
      const answer = await continueOrder(world, request, { ...options, ...finishing(parts) }).catch(
        refuseWorkspaceFault,
      );
      if (isRefusal(answer)) return answer;
      parts.dispatcher?.carry(answer.task.id);
      return { task: viewTask(answer.task), plan: answer.plan };
    },
    carryTask: async ({ task }) => carryByHand(parts, task),
    stopOrder: ({ task }, options) => stopByHand(parts, task, options),
    readLog: async ({ task, ...from }) => {
      const page = logPage(world, task, from);
      // This node runs no agents, so no output follows. A caller that waited would keep the folder locked.
      return isRefusal(page) || parts.dispatcher !== null ? page : { ...page, isEnd: true };
    },
    ...questionCalls(parts),
    ...reviewCalls(parts),
    ...workCalls(parts),
    ...rewindCalls(world),
    ...sessionCalls(parts),
  } satisfies Partial<Calls>;
}

/** The parts of this node that run orders and report settled ones. */
function finishing({ dispatcher, runner, world }: OrderParts): Omit<RunTaskParts, 'key'> {
  return {
    isDriven: (task) => dispatcher?.isDriving(task) ?? false,
    planSent: (round, to) => planSentOrder(world, round, to),
    report: (task) => (dispatcher ? dispatcher.report(task) : runner.finish(task)),
  };
}

/** Stops the order of a task for the operator. The request is committed before the run is stopped. */
async function stopByHand(
  parts: OrderParts,
  reference: string,
  options: CallOptions = {},
): Promise<TaskView | Refusal> {
  const { world, runner, dispatcher } = parts;
  const { ledger } = world;
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

/** Runs a waiting task, where this node runs agents. */
function carryByHand({ world, dispatcher }: OrderParts, reference: string): TaskView | Refusal {
  const task = findTask(world.ledger.read, reference);
  if (isRefusal(task)) return task;
  dispatcher?.carry(task.id);
  return viewTask(task);
}
