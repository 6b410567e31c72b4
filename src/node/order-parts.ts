import { type OrderCalls, orderCalls } from '../api/in-process/order-calls.ts';
import { orderMessages } from '../api/in-process/order-messages.ts';
import { Dispatcher } from '../dispatch/dispatcher.ts';
import { haveOrdered } from '../dispatch/have-ordered.ts';
import { OrderBook } from '../dispatch/order-book.ts';
import { orderDoings } from '../dispatch/order-doings.ts';
import { OrderRunner } from '../dispatch/order-runner.ts';
import { storedReader } from '../dispatch/read-stored.ts';
import type { RunWorld } from '../dispatch/run-world.ts';
import type { Ids } from '../platform/ids.ts';
import { hostsOf } from './run-settings.ts';

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

export function orderSide(world: RunWorld, ids: Ids, isBrief: boolean): OrderSide {
  const { ledger, clock, timer, log } = world;
  const readStored = storedReader(world);
  const steps = orderDoings(world);
  const book = new OrderBook(ledger, (stored) => readStored(stored).order);
  const runner = new OrderRunner({ book, clock, steps });
  const dispatcher = new Dispatcher({
    ledger,
    runner,
    clock,
    timer,
    log,
    hands: () => world.settings().hands,
    isHeldUp: (taskId) => world.workplaces.isHeldUp(taskId),
    haveOrdered: (taskId) => haveOrdered(world, { taskId, ids }),
  });
  const parts = { world, ids, readStored, runner, dispatcher: isBrief ? null : dispatcher, hostsOf };
  const heard = (runId: string) => runner.receive(runId, { kind: 'beat' });
  const finishSettled = async () => (isBrief ? await dispatcher.finishSettled() : dispatcher.nudge());
  return { orders: orderCalls(parts), dispatcher, aop: orderMessages(parts), heard, finishSettled };
}
