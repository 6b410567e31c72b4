import type { Dispatcher } from '../../dispatch/dispatcher.ts';
import type { OrderRunner } from '../../dispatch/order-runner.ts';
import { acceptOrder } from '../../dispatch/orders/accept-order.ts';
import { planRequest } from '../../dispatch/orders/plan-order.ts';
import type { RunWorld } from '../../dispatch/run-world.ts';
import { isRefusal } from '../../domain/refusal.ts';
import type { Calls } from '../node-client.ts';
import { viewTask } from '../views.ts';
import { cleanCall } from './clean-call.ts';
import { logPage } from './order-records.ts';
import { stopByHand } from './stop-call.ts';
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
  | 'orderReport'
  | 'stopOrder'
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
      parts.dispatcher?.nudge();
      return { task: viewTask(answer.task), plan: answer.plan };
    },
    stopOrder: ({ task }, options) => stopByHand({ ...parts, ledger: world.ledger }, task, options),
    readLog: async ({ task, after = 0 }) => {
      const page = logPage(world, task, after);
      // This node runs no agents, so no output follows. A caller that waited would keep the folder locked.
      return isRefusal(page) || parts.dispatcher !== null ? page : { ...page, isEnd: true };
    },
    ...workCalls(world),
    clean: (request = {}) => cleanCall(world, request).catch(refuseWorkspaceFault),
  };
}
