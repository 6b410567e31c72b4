import { delegateOrder } from '../domain/order/decide-delegation.ts';
import type { OrderText } from '../domain/order/decide-order.ts';
import type { Order } from '../domain/order/order.ts';
import { type Refusal, refuse, refuseField } from '../domain/refusal.ts';
import type { RunHolder } from '../domain/task/channel.ts';
import { delegationDepth, type TaskName } from '../domain/task/task.ts';
import { selectOrder, selectOrderedTask } from '../ledger/statements/orders.ts';
import { selectFacts } from '../ledger/statements/run-facts.ts';
import { selectTask } from '../ledger/statements/tasks.ts';
import type { Reader } from '../ledger/tx.ts';
import { readDependency } from '../operations/task/read-dependency.ts';
import { realPathOf } from '../workspace/resolve-path.ts';

/** aop:delegation: an order of a run is bounded by the order of that run. */
export function delegatedBy(ledger: Reader, { taskId }: RunHolder, child: Order): Order | Refusal {
  const row = selectOrder(ledger, taskId);
  const [first] = row?.isOpen ? selectFacts(ledger, row) : [];
  if (first?.kind !== 'ordered') return refuse('permission-denied', 'this run has no order, so it cannot delegate');
  return delegateOrder(child, first.order, (path) => realPathOf(path, first.order.workspaceRoot));
}

/** One more than the depth of the parent task (aop:delegation). */
export function depthOf(ledger: Reader | null, { sessionId, parentTaskId }: Order): number {
  if (ledger === null || parentTaskId === null) return 0;
  const parent = selectOrderedTask(ledger, sessionId, parentTaskId);
  const task = parent === null ? null : selectTask(ledger, parent);
  return task === null ? 0 : delegationDepth(task) + 1;
}

/** A task of a session that the ledger has already, by the sender's name for it. */
export function knownMember(ledger: Reader | null, sessionId: string, id: string): { readonly depth: number } | null {
  const name = ledger && selectOrderedTask(ledger, sessionId, id);
  const task = ledger && name ? selectTask(ledger, name) : null;
  return task === null ? null : { depth: delegationDepth(task) };
}

/** aop:dependencies: the tasks of its session that an order waits for; it is refused if one of them failed. */
export function dependenciesOf(
  ledger: Reader | null,
  { sessionId, taskId, dependsOn }: Pick<OrderText, 'sessionId' | 'taskId' | 'dependsOn'>,
): readonly TaskName[] | Refusal {
  const waitsFor: TaskName[] = [];
  for (const [index, id] of (dependsOn ?? []).entries()) {
    const field = { kind: 'dependency', index } as const;
    const needed = ledger && selectOrderedTask(ledger, sessionId, id);
    const state = ledger && needed ? readDependency(ledger, needed, true) : null;
    if (id === taskId) return refuseField('invalid-message', `${id} cannot wait for itself`, field);
    if (needed === null || state === null) {
      const message = `${id} is no task of ${sessionId} that is known here`;
      return refuseField('invalid-message', message, field);
    }
    if (state === 'failed') return refuseField('dependency-failed', `${needed}, which it depends on, failed`, field);
    if (state === 'open') waitsFor.push(needed);
  }
  return waitsFor;
}
