import type { Dispatcher } from '../../dispatch/dispatcher.ts';
import type { OrderRunner } from '../../dispatch/order-runner.ts';
import type { ReadStoredOrder } from '../../dispatch/read-stored.ts';
import { isRefusal } from '../../domain/refusal.ts';
import type { Calls } from '../node-client.ts';
import { leftWork } from './left-work.ts';
import { logPage } from './log-page.ts';
import { refuseWorkspaceFault } from './refuse-workspace-fault.ts';
import { reportOf } from './report-of-order.ts';
import { stopByHand } from './stop-call.ts';
import { planWanted, submitWanted, type TakeParts } from './take-calls.ts';
import { workCalls } from './work-calls.ts';

export interface OrderParts extends TakeParts {
  readonly readStored: ReadStoredOrder;
  readonly runner: OrderRunner;
  /** Carries out what is taken; null in a node that is there for one short command. */
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
>;

/** Orders, and the work that was done for them. */
export function orderCalls(parts: OrderParts): OrderCalls {
  const { world } = parts;
  const found = (reference: string) => leftWork(world.ledger.read, parts.readStored, reference);
  return {
    planOrder: (request) => planWanted(parts, request).catch(refuseWorkspaceFault),
    submitOrder: async (request, options) => {
      const answer = await submitWanted(parts, request, options).catch(refuseWorkspaceFault);
      if (!isRefusal(answer)) parts.dispatcher?.nudge();
      return answer;
    },
    orderReport: async ({ task }) => {
      const work = found(task);
      return isRefusal(work) ? work : await reportOf(world, work);
    },
    stopOrder: ({ task }, options) => stopByHand({ ...parts, ledger: world.ledger }, task, options),
    readLog: async ({ task, after = 0 }) => {
      const page = logPage(world, task, after);
      // Nobody works here: nothing more comes, and who waits for it would keep a node from coming.
      return isRefusal(page) || parts.dispatcher !== null ? page : { ...page, isEnd: true };
    },
    ...workCalls(world, found),
  };
}
