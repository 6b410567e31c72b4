import { planDispatch, type ReadyTask } from '../domain/decisions/plan-dispatch.ts';
import { DISPATCH_LOOKAHEAD_MAX } from '../domain/limits.ts';
import type { TaskName } from '../domain/task.ts';
import { selectBusy, selectReady } from '../ledger/statements/tasks.ts';
import type { Reader } from '../ledger/tx.ts';

export interface Slots {
  /** How many tasks each configured agent may run at once. */
  readonly ofAgent: Readonly<Record<string, number>>;
  readonly inAll: number;
  /** Tasks that are about to be leased, whose slots are already subtracted, and tasks that cannot start yet. */
  isLeftOut?(taskId: TaskName): boolean;
}

/** The tasks that a tick starts. The cost grows with ready and running tasks, not with finished ones. */
export function planTick(ledger: Reader, slots: Slots, wallMs: number): ReadyTask[] {
  const { running, heldResources } = selectBusy(ledger);
  const busy = [...running.values()].reduce((sum, runs) => sum + runs, 0);
  const free = Object.entries(slots.ofAgent).map(([agent, max]) => [
    agent,
    Math.max(0, max - (running.get(agent) ?? 0)),
  ]);
  return planDispatch({
    ready: selectReady(ledger, wallMs, DISPATCH_LOOKAHEAD_MAX).filter(({ id }) => !slots.isLeftOut?.(id)),
    freeSlots: Object.fromEntries(free) as Record<string, number>,
    freeInAll: Math.max(0, slots.inAll - busy),
    heldResources,
  });
}
