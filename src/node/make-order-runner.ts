import { earlierNode } from '../dispatch/earlier-node.ts';
import type { QuotaHolds } from '../dispatch/order-agent.ts';
import { OrderRunner } from '../dispatch/order-runner.ts';
import type { StepParts } from '../dispatch/steps/step-parts.ts';
import { stepsOf } from '../dispatch/steps/steps.ts';
import { OrderStore } from '../operations/order/order-store.ts';
import { sentSteps } from '../remote/sender/sent-steps.ts';

/** The runner of orders, with the steps of those that run here and of those that other nodes run. */
export function makeOrderRunner(parts: StepParts, quota: QuotaHolds): OrderRunner {
  const { world } = parts;
  const store = new OrderStore(world.ledger, world.timer);
  return new OrderRunner({
    store,
    clock: world.clock,
    steps: stepsOf(parts, sentSteps(parts)),
    earlierNode: earlierNode(world, store),
    holdOfTask: (task) => quota.holdOfTask(task),
  });
}
