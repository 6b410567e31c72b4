import type { Fact } from '../domain/execution/fact.ts';
import type { Order } from '../domain/order.ts';
import { isRefusal, type Refusal } from '../domain/refusal.ts';
import type { Reader } from '../ledger/tx.ts';
import { tellLackingV2 } from '../protocols/aop/tell-lacking-v2.ts';
import { dependenciesOf } from './order-dependencies.ts';
import { depthOf } from './order-depth.ts';
import { orderOf } from './read-stored.ts';
import { type ReadWanted, readWanted } from './read-wanted.ts';
import type { PlanWorld } from './run-world.ts';
import { admitStep } from './steps/admit-step.ts';
import type { WantedOrder } from './wanted-order.ts';

/** An order that may be carried out here. */
export interface TakenOrder extends Pick<ReadWanted, 'message' | 'settings' | 'isProgram'> {
  readonly order: Order;
  readonly depth: number;
  /** Tasks that it waits for. */
  readonly dependsOn: Exclude<ReturnType<typeof dependenciesOf>, Refusal>;
  readonly admitted: Extract<Fact, { readonly kind: 'admitted' }>;
}

/** Reads what is wanted and looks whether it may be done. Nothing is changed by it. */
export async function takeOrder(
  world: PlanWorld,
  wanted: WantedOrder,
  { ids, read: ledger }: { readonly ids: Parameters<typeof readWanted>[2]; readonly read: Reader | null },
): Promise<TakenOrder | Refusal> {
  const read = readWanted(world, wanted, ids);
  if (isRefusal(read)) return read;
  const { message, settings, isProgram, fallback, warnings } = read;
  const configured = world.settings();
  const order = orderOf(message, settings, configured);
  const depth = depthOf(ledger, order);
  const dependsOn = dependenciesOf(ledger, message);
  if (isRefusal(dependsOn)) return dependsOn;
  const admitted = await admitStep(world, { order, settings: configured, depth, warnings });
  if (isRefusal(admitted)) return admitted;
  const agent = configured.agents.find(({ name }) => name === admitted.agent);
  const timestamp = new Date(world.clock.now().wallMs).toISOString();
  const event = fallback ?? tellLackingV2({ message, order, agent, timestamp });
  const told = event === null ? admitted : { ...admitted, message: event };
  return { message, order, isProgram, settings, depth, dependsOn, admitted: told };
}
