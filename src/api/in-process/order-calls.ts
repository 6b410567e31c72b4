import type { Dispatcher } from '../../dispatch/dispatcher.ts';
import type { OrderRunner } from '../../dispatch/order-runner.ts';
import { acceptOrder } from '../../dispatch/orders/accept-order.ts';
import { continueOrder } from '../../dispatch/orders/continue-order.ts';
import { planRequest } from '../../dispatch/orders/plan-order.ts';
import type { RunWorld } from '../../dispatch/run-world.ts';
import { isRefusal } from '../../domain/refusal.ts';
import type { Calls } from '../node-client.ts';
import { viewTask } from '../views.ts';
import { logPage } from './order-records.ts';
import { talkCalls } from './talk-calls.ts';
import { refuseWorkspaceFault, workCalls } from './work-calls.ts';

export interface OrderParts {
  readonly world: RunWorld;
  readonly runner: OrderRunner;
  /** Runs accepted orders; null in a node that lives for one command. */
  readonly dispatcher: Dispatcher | null;
}

export type OrderCalls = Pick<
  Calls,
  | 'planOrder'
  | 'submitOrder'
  | 'carryTask'
  | 'continueTask'
  | 'orderReport'
  | 'stopOrder'
  | 'sayWords'
  | 'listQuestions'
  | 'answerQuestion'
  | 'approveReview'
  | 'returnReview'
  | 'readLog'
  | 'diffWork'
  | 'applyWork'
  | 'discardWork'
  | 'undoWork'
  | 'verifyWork'
  | 'clean'
>;

/** Orders, and the work that was done for them. */
export function orderCalls(parts: OrderParts): OrderCalls {
  const { world } = parts;
  return {
    planOrder: (request) => planRequest(world, request, world.ledger.read).catch(refuseWorkspaceFault),
    submitOrder: async (request, options) => {
      const answer = await acceptOrder(world, request, options).catch(refuseWorkspaceFault);
      if (isRefusal(answer)) return answer;
      parts.dispatcher?.carry(answer.task.id);
      return { task: viewTask(answer.task), plan: answer.plan };
    },
    continueTask: async (request, options) => {
      const finish = {
        report: (task: Parameters<OrderRunner['finish']>[0]) =>
          parts.dispatcher ? parts.dispatcher.report(task) : parts.runner.finish(task),
      };
      const answer = await continueOrder(world, request, { ...options, ...finish }).catch(refuseWorkspaceFault);
      if (isRefusal(answer)) return answer;
      parts.dispatcher?.carry(answer.task.id);
      return { task: viewTask(answer.task), plan: answer.plan };
    },
    ...talkCalls({ ...parts, ledger: world.ledger }),
    readLog: async ({ task, ...from }) => {
      const page = logPage(world, task, from);
      // This node runs no agents, so no output follows. A caller that waited would keep the folder locked.
      return isRefusal(page) || parts.dispatcher !== null ? page : { ...page, isEnd: true };
    },
    ...workCalls(world),
  };
}
