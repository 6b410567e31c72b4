import { DISPATCH_LOOKAHEAD_MAX, SLOTS_PER_AGENT_DEFAULT } from '../domain/limits.ts';
import { type DispatchFacts, planDispatch, type ReadyTask } from '../domain/order/plan-dispatch.ts';
import { AUTO } from '../domain/order/route-order.ts';
import type { RoutedTask, TaskName } from '../domain/task/task.ts';
import { selectQuotaHolds } from '../ledger/statements/quota-holds.ts';
import { type AskedFor, selectBusy, selectReady } from '../ledger/statements/ready-tasks.ts';
import { selectLimitedSessions } from '../ledger/statements/sessions.ts';
import { selectChildren, selectTask } from '../ledger/statements/tasks.ts';
import type { Reader } from '../ledger/tx.ts';
import type { Slots } from '../orders/run-settings.ts';
import { isAdmittedAgent } from './admitted-agent.ts';

/** The slots of a tick, with everything else that decides who gets one. */
export interface TickSlots extends Slots {
  /** The tasks that may start; without it, all. */
  readonly among?: AskedFor | null;
  /** The account that the vendor of a task's agent counts quota for; null for an agent without a vendor. */
  accountOf?(task: RoutedTask): string | null;
  /** Chooses the agent of a task that leaves the choice to evidence; null where none is ready. Called only for such tasks. */
  autoAgentOf?(taskId: TaskName): string | null;
  /** Tasks that are about to be leased. */
  readonly starting?: readonly RoutedTask[];
  /** Sessions of tasks that are about to be leased, one entry a task. */
  readonly startingIn?: readonly string[];
  /** Tasks that are about to be leased, whose slots are already subtracted, and tasks that cannot start yet. */
  isLeftOut?(taskId: TaskName): boolean;
}

/** The tasks that a tick starts. The cost grows with ready and running tasks, not with finished ones. */
export function planTick(ledger: Reader, slots: TickSlots, wallMs: number): ReadyTask[] {
  const freeInSession = freePlaces(ledger, slots);
  const fullSessions = Object.keys(freeInSession).filter((sessionId) => freeInSession[sessionId] === 0);
  const filter = { wallMs, limit: DISPATCH_LOOKAHEAD_MAX, among: slots.among ?? null, fullSessions };
  const found = selectReady(ledger, filter).filter(({ id }) => !slots.isLeftOut?.(id));
  const ready = found.map((task) =>
    task.agent === AUTO ? { ...task, agent: slots.autoAgentOf?.(task.id) ?? AUTO } : task,
  );
  // The slots are those of the agents that are found now: the search for their programs stops the node for milliseconds.
  if (ready.length === 0) return [];
  const { tasks, heldResources } = selectBusy(ledger);
  const running = countByAgent(tasks);
  const free = Object.entries({ ...slotsOfOrders(ledger, slots, ready), ...slots.ofAgent }).map(([agent, max]) => [
    agent,
    Math.max(0, max - (running.get(agent) ?? 0)),
  ]);
  return planDispatch({
    ready,
    freeInSession,
    freeSlots: Object.fromEntries(free) as Record<string, number>,
    freeInAll: Math.max(0, slots.inAll - tasks.length),
    heldResources,
    tried: triedAccounts(ledger, slots, { ready, running: tasks }),
  });
}

/** The slots of agents that are not configured any more and whose orders were accepted before. */
function slotsOfOrders(ledger: Reader, { ofAgent }: TickSlots, ready: readonly ReadyTask[]): Record<string, number> {
  const left = ready.filter((task) => !(task.agent in ofAgent) && isAdmittedAgent(ledger, task));
  return Object.fromEntries(left.map(({ agent }) => [agent, SLOTS_PER_AGENT_DEFAULT]));
}

/** Free places of sessions that limit how many of their tasks run at once. */
function freePlaces(ledger: Reader, { startingIn = [] }: TickSlots): Record<string, number> {
  const free = selectLimitedSessions(ledger).map(({ sessionId, free }) => {
    const starting = startingIn.filter((each) => each === sessionId).length;
    return [sessionId, Math.max(0, free - starting)];
  });
  return Object.fromEntries(free) as Record<string, number>;
}

/** The tasks that the node of a `baton run` starts; it leaves all other waiting tasks alone. */
export class AskedTasks {
  readonly #asked = new Set<TaskName>();
  readonly #sessions = new Set<string>();

  add(taskId: TaskName): void {
    this.#asked.add(taskId);
  }

  addSession(sessionId: string): void {
    this.#sessions.add(sessionId);
  }

  hasSession(sessionId: string): boolean {
    return this.#sessions.has(sessionId);
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

function countByAgent(tasks: readonly RoutedTask[]): ReadonlyMap<string, number> {
  const running = new Map<string, number>();
  for (const { agent } of tasks) running.set(agent, (running.get(agent) ?? 0) + 1);
  return running;
}

/** Ready tasks on accounts that were refused and have not been served since. Each order names its own account. */
function triedAccounts(
  ledger: Reader,
  { accountOf = () => null, starting = [] }: TickSlots,
  { ready, running }: { readonly ready: readonly ReadyTask[]; readonly running: readonly RoutedTask[] },
): NonNullable<DispatchFacts['tried']> {
  const held = new Set(selectQuotaHolds(ledger).map(({ account }) => account));
  if (held.size === 0) return {};
  const busy = new Set([...running, ...starting].map((task) => accountOf(task)));
  const tried = ready.flatMap((task) => {
    const account = accountOf(task);
    return account !== null && held.has(account) ? [[task.id, { account, isRunning: busy.has(account) }] as const] : [];
  });
  return Object.fromEntries(tried);
}
