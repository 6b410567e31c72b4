import type { TaskName } from '../task.ts';

/** A task that waits only for an agent with a free slot. */
export interface ReadyTask {
  readonly id: TaskName;
  readonly agent: string;
  readonly resource: string | null;
}

export interface DispatchFacts {
  /** By urgency, then age: the order of dispatch (aof:dispatch). */
  readonly ready: readonly ReadyTask[];
  /** Free slots of each configured agent; an agent that is not here waits for a claim. */
  readonly freeSlots: Readonly<Record<string, number>>;
  /** Free slots in all. */
  readonly freeInAll: number;
  /** Resources that running tasks hold. */
  readonly heldResources: ReadonlySet<string>;
}

/** The tasks that start now and their agents: by priority, within the slots, and no resource twice. */
export function planDispatch(facts: DispatchFacts): ReadyTask[] {
  const free = new Map(Object.entries(facts.freeSlots));
  const held = new Set(facts.heldResources);
  const starts: ReadyTask[] = [];
  for (const task of facts.ready) {
    if (starts.length >= facts.freeInAll) break;
    const slots = free.get(task.agent) ?? 0;
    if (slots === 0 || (task.resource !== null && held.has(task.resource))) continue;
    free.set(task.agent, slots - 1);
    if (task.resource !== null) held.add(task.resource);
    starts.push(task);
  }
  return starts;
}
