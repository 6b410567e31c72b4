import type { TaskName } from '../task.ts';

/** A task that waits only for an agent with a free hand. */
export interface ReadyTask {
  readonly id: TaskName;
  readonly agent: string;
  readonly resource: string | null;
}

export interface DispatchFacts {
  /** By urgency, then age: the order of dispatch (aof:dispatch). */
  readonly ready: readonly ReadyTask[];
  /** Free hands of each configured agent; an agent that is not here waits for a claim. */
  readonly freeHands: Readonly<Record<string, number>>;
  /** Free hands in all. */
  readonly freeInAll: number;
  /** Resources that running tasks hold. */
  readonly heldResources: ReadonlySet<string>;
}

/** Which tasks start now, and with whom: no resource twice, no agent beyond its hands, nobody overtaken without need. */
export function planDispatch(facts: DispatchFacts): ReadyTask[] {
  const free = new Map(Object.entries(facts.freeHands));
  const held = new Set(facts.heldResources);
  const starts: ReadyTask[] = [];
  for (const task of facts.ready) {
    if (starts.length >= facts.freeInAll) break;
    const hands = free.get(task.agent) ?? 0;
    if (hands === 0 || (task.resource !== null && held.has(task.resource))) continue;
    free.set(task.agent, hands - 1);
    if (task.resource !== null) held.add(task.resource);
    starts.push(task);
  }
  return starts;
}
