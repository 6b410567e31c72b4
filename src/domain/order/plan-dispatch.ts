import type { TaskName } from '../task/task.ts';

/** A task that waits only for an agent with a free slot. */
export interface ReadyTask {
  readonly id: TaskName;
  readonly agent: string;
  readonly resource: string | null;
  /** The session of its order; null for a task without one. */
  readonly sessionId?: string | null;
}

export interface DispatchFacts {
  /** By urgency, then age: the order of dispatch (aof:dispatch). */
  readonly ready: readonly ReadyTask[];
  /** Free slots of each agent that Baton starts; a task of any other waits for a claim. */
  readonly freeSlots: Readonly<Record<string, number>>;
  /** Free slots in all. */
  readonly freeInAll: number;
  /** Resources that running tasks hold. */
  readonly heldResources: ReadonlySet<string>;
  /** Free places of the sessions that limit how many of their tasks run at once. */
  readonly freeInSession?: Readonly<Record<string, number>>;
  /** By task, an account that its vendor refused: one task at a time tries it. True while one does. */
  readonly tried?: Readonly<Record<string, { readonly account: string; readonly isRunning: boolean }>>;
}

/** The tasks that start now and their agents: by priority, within the slots, and no resource twice. */
export function planDispatch(facts: DispatchFacts): ReadyTask[] {
  const free = new Map(Object.entries(facts.freeSlots));
  const freeInSession = new Map(Object.entries(facts.freeInSession ?? {}));
  const held = new Set(facts.heldResources);
  const trying = new Set<string>();
  const starts: ReadyTask[] = [];
  for (const task of facts.ready) {
    if (starts.length >= facts.freeInAll) break;
    const slots = free.get(task.agent) ?? 0;
    const tried = facts.tried?.[task.id];
    if (tried && (tried.isRunning || trying.has(tried.account))) continue;
    const places = freeInSession.get(task.sessionId ?? '') ?? Number.POSITIVE_INFINITY;
    if (slots === 0 || places === 0 || (task.resource !== null && held.has(task.resource))) continue;
    free.set(task.agent, slots - 1);
    if (task.sessionId) freeInSession.set(task.sessionId, places - 1);
    if (tried) trying.add(tried.account);
    if (task.resource !== null) held.add(task.resource);
    starts.push(task);
  }
  return starts;
}
