import { type OrderCalls, orderCalls } from '../api/in-process/order-calls.ts';
import { orderMessages } from '../api/in-process/order-messages.ts';
import { Dispatcher } from '../dispatch/dispatcher.ts';
import { OrderBook } from '../dispatch/order-book.ts';
import { OrderRunner } from '../dispatch/order-runner.ts';
import { ensureOrder } from '../dispatch/orders/ensure-order.ts';
import type { RunWorld } from '../dispatch/run-world.ts';
import { stepImplementations } from '../dispatch/step-implementations.ts';

/** What carries out orders, and what is asked about them. */
export interface OrderSide {
  readonly orders: OrderCalls;
  /** Not started: a node that is there for one command carries out nothing. */
  readonly dispatcher: Dispatcher;
  /** Messages about orders, and from those who carry them out. */
  readonly aop: ReturnType<typeof orderMessages>;
  heard(runId: string): void;
  /** After a move by hand: an order that it settled is put back and reported, here where nobody else would. */
  finishSettled(): Promise<void>;
}

export function orderSide(world: RunWorld, isBrief: boolean): OrderSide {
  const { ledger, clock, timer, log } = world;
  const runner = new OrderRunner({ book: new OrderBook(ledger), clock, steps: stepImplementations(world) });
  const dispatcher = new Dispatcher({
    ledger,
    runner,
    clock,
    timer,
    log,
    hands: () => world.settings().hands,
    isHeldUp: (taskId) => world.workplaces.isHeldUp(taskId),
    ensureOrder: (taskId) => ensureOrder(world, taskId),
  });
  const parts = { world, runner, dispatcher: isBrief ? null : dispatcher };
  const heard = (runId: string) => runner.receive(runId, { kind: 'beat' });
  const finishSettled = async () => (isBrief ? await dispatcher.finishSettled() : dispatcher.nudge());
  return { orders: orderCalls(parts), dispatcher, aop: orderMessages(parts), heard, finishSettled };
}
