import { planDispatch, type ReadyTask } from '../domain/decisions/plan-dispatch.ts';
import { DISPATCH_LOOKAHEAD_MAX } from '../domain/limits.ts';
import type { TaskName } from '../domain/task.ts';
import { selectBusy, selectReady } from '../ledger/statements/tasks.ts';
import type { Reader } from '../ledger/tx.ts';

export interface Slots {
  /** How many tasks each configured agent may run at once. */
  readonly ofAgent: Readonly<Record<string, number>>;
  readonly inAll: number;
  /** Tasks on the way to their lease, whose slots are not among those above, and those that cannot begin yet. */
  isLeftOut?(taskId: TaskName): boolean;
}

/** What one turn of the dispatcher starts. Its cost grows with what is ready and running, not with what is done. */
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
