import type { RunHolder } from '../../domain/channel.ts';
import type { OrderReading } from '../../domain/decisions/decide-order.ts';
import type { Fact } from '../../domain/execution/fact.ts';
import type { OrderRequest } from '../../domain/order-request.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import type { TaskName } from '../../domain/task.ts';
import type { Reader } from '../../ledger/tx.ts';
import type { PlanWorld } from '../plan-world.ts';
import { admitStep } from './admit.ts';
import { refuseMissingAgent, refuseRequest, termsOf } from './order-terms.ts';
import { delegatedBy, dependenciesOf, depthOf } from './related-tasks.ts';

/** An admitted order; nothing of it is stored yet. */
export interface AdmittedOrder extends Pick<OrderReading, 'order' | 'provenance' | 'message' | 'isProgram'> {
  /** How many times it was delegated. */
  readonly depth: number;
  /** Tasks that it waits for. */
  readonly dependsOn: readonly TaskName[];
  readonly admitted: Extract<Fact, { readonly kind: 'admitted' }>;
}

export interface OrderSource {
  /** Null where there is no ledger yet. */
  readonly ledger: Reader | null;
  /** The run that gives out the order for its own task; absent for an operator. */
  readonly holder?: RunHolder;
}

/** Reads a request, decides its order and admits it. Changes nothing. */
export async function takeOrder(
  world: PlanWorld,
  request: OrderRequest,
  { ledger, holder }: OrderSource,
): Promise<AdmittedOrder | Refusal> {
  const refusal = refuseRequest(request);
  if (refusal) return refusal;
  await world.askVersions();
  const settings = world.settings();
  const read = world.edge.readOrder(request.text, termsOf(world, request));
  if (isRefusal(read)) return read;
  const unnamed = read.isProgram ? null : refuseMissingAgent(request, settings);
  if (unnamed) return unnamed;
  const { provenance, message, isProgram, warnings } = read;
  const order = ledger && holder ? delegatedBy(ledger, holder, read.order) : read.order;
  if (isRefusal(order)) return order;
  const depth = depthOf(ledger, { ...read, order });
  const dependsOn = dependenciesOf(ledger, read);
  if (isRefusal(dependsOn)) return dependsOn;
  const admitted = await admitStep(world, { order, depth, warnings });
  if (isRefusal(admitted)) return admitted;
  const agent = settings.agents.find(({ name }) => name === admitted.agent);
  const atMs = world.clock.now().wallMs;
  const fallback = read.fallback ?? world.edge.noteLackingV2({ order, message, agent, alternative: null, atMs });
  return { order, provenance, message, isProgram, depth, dependsOn, admitted: { ...admitted, fallback } };
}
