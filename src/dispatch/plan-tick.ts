import { planDispatch, type ReadyTask } from '../domain/decisions/plan-dispatch.ts';
import { DISPATCH_LOOKAHEAD_MAX } from '../domain/limits.ts';
import type { TaskName } from '../domain/task.ts';
import { selectBusy, selectReady } from '../ledger/statements/tasks.ts';
import type { Reader } from '../ledger/tx.ts';

export interface Hands {
  /** How many tasks each configured agent may run at once. */
  readonly ofAgent: Readonly<Record<string, number>>;
  readonly inAll: number;
  /** Tasks on the way to their lease, whose hands are not among those above, and those that cannot begin yet. */
  isLeftOut?(taskId: TaskName): boolean;
}

/** What one turn of the dispatcher starts. Its cost grows with what is ready and running, not with what is done. */
export function planTick(ledger: Reader, hands: Hands, wallMs: number): ReadyTask[] {
  const { running, heldResources } = selectBusy(ledger);
  const busy = [...running.values()].reduce((sum, runs) => sum + runs, 0);
  const free = Object.entries(hands.ofAgent).map(([agent, max]) => [
    agent,
    Math.max(0, max - (running.get(agent) ?? 0)),
  ]);
  return planDispatch({
    ready: selectReady(ledger, wallMs, DISPATCH_LOOKAHEAD_MAX).filter(({ id }) => !hands.isLeftOut?.(id)),
    freeHands: Object.fromEntries(free) as Record<string, number>,
    freeInAll: Math.max(0, hands.inAll - busy),
    heldResources,
  });
}
