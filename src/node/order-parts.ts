import { dirname } from 'node:path';
import { orderCalls } from '../api/in-process/order-calls.ts';
import type { OrderClient } from '../api/order-contract.ts';
import { Dispatcher } from '../dispatch/dispatcher.ts';
import { orderDoings } from '../dispatch/order-doings.ts';
import { orderForTask } from '../dispatch/order-for-task.ts';
import { OrderRunner } from '../dispatch/order-runner.ts';
import type { ReadStoredOrder, RunWorld } from '../dispatch/run-world.ts';
import { orderOf } from '../dispatch/take-order.ts';
import type { Ids } from '../platform/ids.ts';
import type { TaskMessage } from '../protocols/aop/schema/task.ts';
import { findRepository } from '../workspace/find-repository.ts';
import { hostsOf } from './run-settings.ts';

/** What carries out orders, and what is asked about them. */
export interface OrderSide {
  readonly orders: OrderClient;
  /** Not started: a node that is there for one command carries out nothing. */
  readonly dispatcher: Dispatcher;
}

export function orderSide(world: RunWorld, ids: Ids, isBrief: boolean): OrderSide {
  const { ledger, clock, timer, log } = world;
  const readStored: ReadStoredOrder = ({ message: text, settings }) => {
    const message = JSON.parse(text) as TaskMessage;
    return { message, order: orderOf(message, settings, world.settings()) };
  };
  const steps = orderDoings(world, readStored);
  const runner = new OrderRunner({ ledger, clock, steps, orderOf: (stored) => readStored(stored).order });
  const workspace = findRepository(dirname(world.dataFolder))?.root ?? dirname(world.dataFolder);
  const dispatcher = new Dispatcher({
    ledger,
    runner,
    clock,
    timer,
    log,
    hands: () => world.settings().hands,
    orderFor: (taskId) => orderForTask(world, { taskId, workspace, ids }),
  });
  const orders = orderCalls({ world, ids, readStored, runner, dispatcher: isBrief ? null : dispatcher, hostsOf });
  return { orders, dispatcher };
}
