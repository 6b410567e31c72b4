import { planDispatch, type ReadyTask } from '../domain/decisions/plan-dispatch.ts';
import { AUTO } from '../domain/decisions/route-order.ts';
import { DISPATCH_LOOKAHEAD_MAX } from '../domain/limits.ts';
import type { TaskName } from '../domain/task.ts';
import { selectQuotaHolds } from '../ledger/statements/quota-holds.ts';
import { type AskedFor, selectBusy, selectReady } from '../ledger/statements/ready-tasks.ts';
import { selectLimitedSessions } from '../ledger/statements/sessions.ts';
import { selectChildren, selectTask } from '../ledger/statements/tasks.ts';
import type { Reader } from '../ledger/tx.ts';

export interface Slots {
  /** How many tasks each configured agent may run at once. */
  readonly ofAgent: Readonly<Record<string, number>>;
  readonly inAll: number;
  /** The tasks that may start; without it, all. */
  readonly among?: AskedFor | null;
  /** The account that the vendor of an agent counts quota for; null for an agent without a vendor. */
  accountOf?(agent: string): string | null;
  /** Chooses the agent of a task that leaves the choice to evidence; null where none is ready. Called only for such tasks. */
  autoAgentOf?(taskId: TaskName): string | null;
  /** Agents of tasks that are about to be leased. */
  readonly starting?: readonly string[];
  /** Sessions of tasks that are about to be leased, one entry a task. */
  readonly startingIn?: readonly string[];
  /** Tasks that are about to be leased, whose slots are already subtracted, and tasks that cannot start yet. */
  isLeftOut?(taskId: TaskName): boolean;
}

/** The tasks that a tick starts. The cost grows with ready and running tasks, not with finished ones. */
export function planTick(ledger: Reader, slots: Slots, wallMs: number): ReadyTask[] {
  const freeInSession = freePlaces(ledger, slots);
  const fullSessions = Object.keys(freeInSession).filter((sessionId) => freeInSession[sessionId] === 0);
  const filter = { wallMs, limit: DISPATCH_LOOKAHEAD_MAX, among: slots.among ?? null, fullSessions };
  const found = selectReady(ledger, filter).filter(({ id }) => !slots.isLeftOut?.(id));
  const ready = found.map((task) =>
    task.agent === AUTO ? { ...task, agent: slots.autoAgentOf?.(task.id) ?? AUTO } : task,
  );
  // The slots are those of the agents that are found now: the search for their programs stops the node for milliseconds.
  if (ready.length === 0) return [];
  const { running, heldResources } = selectBusy(ledger);
  const busy = [...running.values()].reduce((sum, runs) => sum + runs, 0);
  const free = Object.entries(slots.ofAgent).map(([agent, max]) => [
    agent,
    Math.max(0, max - (running.get(agent) ?? 0)),
  ]);
  return planDispatch({
    ready,
    freeInSession,
    freeSlots: Object.fromEntries(free) as Record<string, number>,
    freeInAll: Math.max(0, slots.inAll - busy),
    heldResources,
    tried: triedAccounts(ledger, slots, running),
  });
}

/** Free places of sessions that limit how many of their tasks run at once. */
function freePlaces(ledger: Reader, { startingIn = [] }: Slots): Record<string, number> {
  const free = selectLimitedSessions(ledger).map(({ sessionId, free }) => {
    const starting = startingIn.filter((each) => each === sessionId).length;
    return [sessionId, Math.max(0, free - starting)];
  });
  return Object.fromEntries(free) as Record<string, number>;
}

/** The tasks that the node of a `baton run` carries out: it leaves all other waiting tasks alone. */
export class AskedTasks {
  readonly #asked = new Set<TaskName>();
  readonly #sessions = new Set<string>();

  add(taskId: TaskName): void {
    this.#asked.add(taskId);
  }

  addSession(sessionId: string): void {
    this.#sessions.add(sessionId);
  }

  has(ledger: Reader, taskId: TaskName): boolean {
    const sessionId = this.#sessions.size === 0 ? null : (selectTask(ledger, taskId)?.sessionId ?? null);
    return (sessionId !== null && this.#sessions.has(sessionId)) || this.#tasks(ledger).includes(taskId);
  }

  all(ledger: Reader): AskedFor {
    return { tasks: this.#tasks(ledger), sessions: [...this.#sessions] };
  }

  /** Tasks that were asked for, with those that they wait for or delegated by now. */
  #tasks(ledger: Reader): readonly TaskName[] {
    const all = new Set(this.#asked);
    // A set also visits what is added while it is walked.
    for (const taskId of all) {
      for (const needed of selectTask(ledger, taskId)?.dependsOn ?? []) all.add(needed);
      for (const child of selectChildren(ledger, taskId)) all.add(child);
    }
    return [...all];
  }
}

/** Agents of accounts that were refused and have not been served since. */
function triedAccounts(
  ledger: Reader,
  { ofAgent, accountOf, starting = [] }: Slots,
  running: ReadonlyMap<string, number>,
) {
  const held = new Set(selectQuotaHolds(ledger).map(({ account }) => account));
  if (held.size === 0) return {};
  const agents = Object.keys(ofAgent).flatMap((agent) => {
    const account = accountOf?.(agent) ?? null;
    return account !== null && held.has(account) ? [{ agent, account }] : [];
  });
  const isBusy = (agent: string) => (running.get(agent) ?? 0) > 0 || starting.includes(agent);
  const busy = new Set(agents.filter(({ agent }) => isBusy(agent)).map(({ account }) => account));
  return Object.fromEntries(agents.map(({ agent, account }) => [agent, { account, isRunning: busy.has(account) }]));
}
