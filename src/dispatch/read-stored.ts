import type { Order } from '../domain/order.ts';
import type { StoredOrder } from '../ledger/statements/orders.ts';
import type { TaskMessage } from '../protocols/aop/schema/task.ts';
import type { PlanWorld } from './run-world.ts';
import { orderOf } from './take-order.ts';

/** The TASK of a stored order, and the order it comes to with the defaults of its agent. */
export interface ReadStored {
  readonly message: TaskMessage;
  readonly order: Order;
}

export type ReadStoredOrder = (stored: StoredOrder) => ReadStored;

/** It was judged when it was taken: here it is only read. */
export function storedReader(world: PlanWorld): ReadStoredOrder {
  return ({ message: text, settings }) => {
    const message = JSON.parse(text) as TaskMessage;
    return { message, order: orderOf(message, settings, world.settings()) };
  };
}
