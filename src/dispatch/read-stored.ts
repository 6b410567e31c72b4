import { agentOfTarget } from '../domain/decisions/choose-agent.ts';
import type { Order } from '../domain/order.ts';
import type { OrderSettings, StoredOrder } from '../ledger/statements/orders.ts';
import { orderOfTask } from '../protocols/aop/order-of-task.ts';
import type { TaskMessage } from '../protocols/aop/schema/task.ts';
import type { PlanWorld, RunSettings } from './run-world.ts';

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

/** What a TASK comes to here: its own words, what was given beside it, and the configuration. */
export function orderOf(message: TaskMessage, settings: OrderSettings, configured: RunSettings): Order {
  const { agent_name: agentName, provider, model } = message.target;
  const timeoutSeconds = agentOfTarget({ agentName, provider, model }, configured.agents)?.timeoutSeconds ?? null;
  return orderOfTask(message, {
    ...(timeoutSeconds !== null && { agentTimeoutSeconds: timeoutSeconds }),
    checks: settings.checks,
    isFallback: settings.isFallback,
    isSandboxDemanded: configured.isSandboxDemanded,
  });
}
