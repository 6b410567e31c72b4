import type { OrderReading } from '../../domain/decisions/decide-order.ts';
import type { Fact } from '../../domain/execution/fact.ts';
import type { OrderRequest } from '../../domain/order-request.ts';
import { isRefusal, type Refusal, refuseField } from '../../domain/refusal.ts';
import { delegationDepth, type TaskName } from '../../domain/task.ts';
import { selectOrderedTask } from '../../ledger/statements/orders.ts';
import { selectTask } from '../../ledger/statements/tasks.ts';
import type { Reader } from '../../ledger/tx.ts';
import type { PlanWorld } from '../plan-world.ts';
import { admitStep } from '../steps/admit-step.ts';
import { refuseMissingAgent, refuseRequest, termsOf } from './order-terms.ts';

/** An admitted order; nothing of it is stored yet. */
export interface AdmittedOrder extends Pick<OrderReading, 'order' | 'provenance' | 'message' | 'isProgram'> {
  /** How many times it was delegated. */
  readonly depth: number;
  /** Tasks that it waits for. */
  readonly dependsOn: readonly TaskName[];
  readonly admitted: Extract<Fact, { readonly kind: 'admitted' }>;
}

/** Reads a request, decides its order and admits it. Changes nothing. `ledger` may be absent. */
export async function takeOrder(
  world: PlanWorld,
  request: OrderRequest,
  ledger: Reader | null,
): Promise<AdmittedOrder | Refusal> {
  const refusal = refuseRequest(request);
  if (refusal) return refusal;
  const settings = world.settings();
  const read = world.edge.readOrder(request.text, termsOf(world, request));
  if (isRefusal(read)) return read;
  const unnamed = read.isProgram ? null : refuseMissingAgent(request, settings);
  if (unnamed) return unnamed;
  const { order, provenance, message, isProgram, warnings } = read;
  const depth = depthOf(ledger, read);
  const dependsOn = dependenciesOf(ledger, read);
  if (isRefusal(dependsOn)) return dependsOn;
  const admitted = await admitStep(world, { order, depth, warnings });
  if (isRefusal(admitted)) return admitted;
  const agent = settings.agents.find(({ name }) => name === admitted.agent);
  const atMs = world.clock.now().wallMs;
  const fallback = read.fallback ?? world.edge.noteLackingV2({ order, message, agent, atMs });
  return { order, provenance, message, isProgram, depth, dependsOn, admitted: { ...admitted, fallback } };
}

/** One more than the depth of the parent task (aop:delegation). */
function depthOf(ledger: Reader | null, { order: { sessionId, parentTaskId } }: OrderReading): number {
  if (ledger === null || parentTaskId === null) return 0;
  const parent = selectOrderedTask(ledger, sessionId, parentTaskId);
  const task = parent === null ? null : selectTask(ledger, parent);
  return task === null ? 0 : delegationDepth(task) + 1;
}

const COMPLETED: readonly string[] = ['done', 'review'];
const FAILED: readonly string[] = ['blocked', 'cancelled', 'deadletter'];

/** aop:dependencies: the tasks of its session that an order waits for; it is refused if one of them failed. */
function dependenciesOf(ledger: Reader | null, { order, dependsOn }: OrderReading): readonly TaskName[] | Refusal {
  const waitsFor: TaskName[] = [];
  for (const [index, id] of dependsOn.entries()) {
    const field = { kind: 'dependency', index } as const;
    const needed = ledger && selectOrderedTask(ledger, order.sessionId, id);
    const status = ledger && needed ? selectTask(ledger, needed)?.status : undefined;
    if (id === order.taskId) return refuseField('E_SCHEMA_VALIDATION', `${id} cannot wait for itself`, field);
    if (needed === null || status === undefined) {
      const message = `${id} is no task of ${order.sessionId} that is known here`;
      return refuseField('E_SCHEMA_VALIDATION', message, field);
    }
    if (FAILED.includes(status)) {
      return refuseField('E_DEPENDENCY_FAILED', `${needed}, which it depends on, is ${status}`, field);
    }
    if (!COMPLETED.includes(status)) waitsFor.push(needed);
  }
  return waitsFor;
}
