import { type Refusal, refuseField } from '../refusal.ts';
import { isWithin } from '../work/path-text.ts';
import { NETWORK_LEVELS } from './access.ts';
import { effectiveBudget } from './budget.ts';
import type { Order } from './order.ts';
import type { OrderField } from './order-field.ts';

/** A path as the order names it, and where it really leads; null where it leads nowhere. */
export type RealPathOf = (path: string) => string | null;

/**
 * aop:delegation: the order that an agent gives out for its own task, with no more rights than its own order has, or why
 * it may not.
 */
export function delegateOrder(child: Order, own: Order, realPathOf: RealPathOf): Order | Refusal {
  if (!own.isDelegationAllowed) {
    return deny('the TASK of this run does not allow delegation (constraints.delegation_allowed)', { kind: 'parent' });
  }
  if (child.sessionId !== own.sessionId || (child.parentTaskId ?? own.taskId) !== own.taskId) {
    const message = `a run gives out work for its own task alone: ${own.taskId} of ${own.sessionId} is the parent`;
    return deny(message, { kind: 'parent' });
  }
  return refuseWider(child, own, realPathOf) ?? bounded(child, own);
}

function refuseWider(child: Order, own: Order, realPathOf: RealPathOf): Refusal | null {
  const { readPaths, writePaths, readOnlyPaths, network } = own.access;
  const isIn = (roots: readonly string[]) => (path: string) => {
    const real = realPathOf(path);
    return real !== null && roots.some((root) => isWithin(realPathOf(root) ?? root, real));
  };
  const mayRead = isIn([...readPaths, ...writePaths]);
  const mayWrite = (path: string) => isIn(writePaths)(path) && !isIn(readOnlyPaths)(path);
  if (!mayRead(child.workspaceRoot)) {
    return deny(`${child.workspaceRoot} is not among the paths of this run`, { kind: 'workspace' });
  }
  const read = child.access.readPaths.findIndex((path) => !mayRead(path));
  if (read !== -1) {
    const message = `${child.access.readPaths[read]} is not readable to this run`;
    return deny(message, { kind: 'read-path', index: read });
  }
  const write = child.access.writePaths.findIndex((path) => !mayWrite(path));
  if (write !== -1) {
    const message = `${child.access.writePaths[write]} is not writable to this run`;
    return deny(message, { kind: 'write-path', index: write });
  }
  if (NETWORK_LEVELS.indexOf(child.access.network) <= NETWORK_LEVELS.indexOf(network)) return null;
  return deny(`the network of this run is ${network}, and ${child.access.network} is more`, { kind: 'network' });
}

/** Its budget is no larger than that of the delegating order, and what that may not write it may not either. */
function bounded(child: Order, own: Order): Order {
  return {
    ...child,
    parentTaskId: own.taskId,
    access: { ...child.access, readOnlyPaths: [...child.access.readOnlyPaths, ...own.access.readOnlyPaths] },
    budget: effectiveBudget([child.budget, own.budget]),
    isSandboxDemanded: child.isSandboxDemanded || own.isSandboxDemanded,
    isShellAllowed: child.isShellAllowed && own.isShellAllowed,
  };
}

function deny(message: string, field: OrderField): Refusal {
  return refuseField('permission-denied', message, field);
}
