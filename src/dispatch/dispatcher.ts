import {
  DISPATCH_LOOKAHEAD_MAX,
  DISPATCH_STOP_MS_MAX,
  DISPATCH_TICK_MS,
  ORDER_FAULT_PAUSE_MS,
  ORDER_FAULTS_MAX,
  RECOVERY_RUNS_PER_TICK_MAX,
} from '../domain/limits.ts';
import type { RoutedTask, TaskName } from '../domain/task/task.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { selectSentTasks } from '../ledger/statements/federation/sent-tasks.ts';
import { selectBegunOrders, selectOrdersUnderWay } from '../ledger/statements/orders.ts';
import { selectTask } from '../ledger/statements/tasks.ts';
import { promoteTasks } from '../operations/task/promote-tasks.ts';
import type { Slots } from '../orders/run-settings.ts';
import type { Clock } from '../platform/clock.ts';
import { faultFacts, type Logger } from '../platform/logger.ts';
import { Loop } from '../platform/loop.ts';
import { type Timer, waitAtMost } from '../platform/timer.ts';
import type { OrderRunner } from './order-runner.ts';
import { type AskedTasks, planTick, type TickSlots } from './plan-tick.ts';

interface DispatcherParts {
  readonly runner: OrderRunner;
  readonly timer: Timer;
  readonly log: Logger;
  readonly ledger: Ledger;
  readonly clock: Clock;
  /** The number of tasks that each available agent may run at the same time. */
  slots(): Slots;
  /** Chooses the agents of tasks that leave the choice to evidence, for one tick. */
  autoAgents(): NonNullable<TickSlots['autoAgentOf']>;
  /** The account that the vendor of a task's agent counts quota for; null for an agent without a vendor. */
  accountOf(task: RoutedTask): string | null;
  /** Whether the task waits for a folder that another task uses. */
  isHeldUp(taskId: TaskName): boolean;
  /** The tasks that it was asked to carry; null: all. */
  readonly asked: AskedTasks | null;
  /** Advances the open sessions. */
  readonly sessions: { tick(): Promise<void> };
  /** Creates the order of a task that was created by hand or is retried; false if the task is no longer ready. */
  ensureOrder(taskId: TaskName): Promise<boolean>;
}

/** Starts ready tasks on agents with a free slot, and continues the orders of an earlier node. */
export class Dispatcher {
  readonly #parts: DispatcherParts;
  readonly #loop: Loop;
  readonly #driving = new Map<TaskName, Promise<void>>();
  readonly #asked: AskedTasks | null;
  #forgetCommits: () => void = () => {};
  #isClosing = false;
  /** The tick that a call of wake began. */
  #wokenTick: Promise<void> | null = null;
  #isWoken = false;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
    const { timer, log } = parts;
    this.#asked = parts.asked;
    const onFault = (error: unknown) => log.log('dispatch.failed', faultFacts(error));
    this.#loop = new Loop({ timer, everyMs: DISPATCH_TICK_MS, tick: () => this.tick(), onFault });
  }

  /** Ends the runs of a dead node as lost, before any order starts. */
  async recover(): Promise<void> {
    const { ledger, runner, log } = this.#parts;
    runner.tidy();
    for (const taskId of selectBegunOrders(ledger.read, RECOVERY_RUNS_PER_TICK_MAX)) {
      // Such as a workspace that is gone: the order fails by it when it continues.
      await runner.endLostRuns(taskId).catch((error: unknown) => {
        log.log('order.failed', { task: taskId, ...faultFacts(error) });
      });
    }
  }

  start(): void {
    this.#forgetCommits = this.#parts.ledger.onCommitted((touched) => {
      for (const taskId of touched) if (this.#driving.has(taskId)) this.#parts.runner.releaseStale(taskId);
    });
    this.#loop.start();
  }

  /** Continues open orders and starts ready tasks. Finished tasks add nothing to its cost. */
  async tick(): Promise<void> {
    const { ledger, clock, sessions } = this.#parts;
    await ledger.submit(promoteTasks, { limit: DISPATCH_LOOKAHEAD_MAX });
    const among = this.#asked?.all(ledger.read) ?? null;
    const underWay = selectOrdersUnderWay(ledger.read, DISPATCH_LOOKAHEAD_MAX);
    for (const taskId of underWay) if (this.carries(taskId)) this.drive(taskId);
    const remote = selectSentTasks(ledger.read, DISPATCH_LOOKAHEAD_MAX);
    for (const taskId of remote) if (this.carries(taskId)) await this.#begin(taskId);
    // Before sessions are judged: a task whose predecessor has just spent the cap of its session is aborted, not started.
    const planned = planTick(ledger.read, this.#freeSlots(among), clock.now().wallMs);
    await sessions.tick();
    // Orders that nobody asked this node for are not continued, but a settled one is reported.
    if (among !== null) await this.reportSettled();
    for (const { id } of planned) await this.#begin(id);
  }

  /** Runs a task as soon as it can start. */
  carry(taskId: TaskName): void {
    this.#asked?.add(taskId);
    this.wake();
  }

  /** Runs the tasks of a session, also those that are added to it later. */
  carrySession(sessionId: string): void {
    this.#asked?.addSession(sessionId);
    this.wake();
  }

  /** Runs a tick now. Further requests during a tick cause one more. */
  wake(): void {
    if (this.#isClosing) return;
    if (this.#wokenTick !== null) {
      this.#isWoken = true;
      return;
    }
    const { log } = this.#parts;
    this.#wokenTick = this.tick()
      .catch((error: unknown) => log.log('dispatch.failed', faultFacts(error)))
      .finally(() => {
        this.#wokenTick = null;
        const isWoken = this.#isWoken;
        this.#isWoken = false;
        if (isWoken) this.wake();
      });
  }

  /** Reports settled orders without starting any. Faults are left to the next node. */
  async reportSettled(): Promise<void> {
    const { ledger, runner, log } = this.#parts;
    for (const taskId of selectOrdersUnderWay(ledger.read, RECOVERY_RUNS_PER_TICK_MAX)) {
      if (this.#driving.has(taskId)) continue;
      await runner.finish(taskId).catch((error: unknown) => {
        log.log('order.failed', { task: taskId, ...faultFacts(error) });
      });
    }
  }

  /** Advances the order of a task now, without waiting for the next tick. */
  drive(taskId: TaskName): void {
    if (this.#isClosing || this.#driving.has(taskId)) return;
    const driven = this.#driveOrFail(taskId).finally(() => {
      this.#driving.delete(taskId);
      this.wake();
    });
    this.#driving.set(taskId, driven);
  }

  /** Whether this node begins or continues the order of a task. */
  carries(taskId: TaskName): boolean {
    return this.#asked?.has(this.#parts.ledger.read, taskId) ?? true;
  }

  /** Whether this node runs the tasks of a session. */
  carriesSession(sessionId: string): boolean {
    return this.#asked?.hasSession(sessionId) ?? true;
  }

  /** Whether the order of a task is running now. */
  isDriving(taskId: TaskName): boolean {
    return this.#driving.has(taskId);
  }

  /** Reports the order of a task that was just settled, and waits for it. */
  async report(taskId: TaskName): Promise<void> {
    // A drive started before the settlement may not have reported it.
    await this.#driving.get(taskId);
    this.drive(taskId);
    await this.#driving.get(taskId);
  }

  /** Ends the running agents and waits for them; the next node continues their orders. */
  async stop(): Promise<void> {
    this.#isClosing = true;
    this.#forgetCommits();
    await this.#loop.stop();
    // The ledger closes next: a tick that still wrote to it would end the process as if the disk had failed.
    await this.#wokenTick;
    this.#parts.runner.close();
    // A slow check ends with the process; the next node continues its order.
    await waitAtMost(Promise.all(this.#driving.values()), DISPATCH_STOP_MS_MAX);
  }

  async #begin(taskId: TaskName): Promise<void> {
    if (!this.#driving.has(taskId) && (await this.#parts.ensureOrder(taskId))) this.drive(taskId);
  }

  /** Retries faults of git or the disk; after ORDER_FAULTS_MAX the order fails. */
  async #driveOrFail(taskId: TaskName): Promise<void> {
    const { runner, timer, log } = this.#parts;
    for (let faults = 1; ; faults++) {
      try {
        return await runner.drive(taskId);
      } catch (error) {
        log.log('order.failed', { task: taskId, faults, ...faultFacts(error) });
        if (this.#isClosing) return;
        if (faults >= ORDER_FAULTS_MAX || isPermanent(error)) return await giveUp(this.#parts, taskId, error);
      }
      await timer.pause(ORDER_FAULT_PAUSE_MS * faults);
    }
  }

  /** The free slots, looked up when a task is ready. A task that is about to be leased counts as running. */
  #freeSlots(among: TickSlots['among'] = null): TickSlots {
    const { ledger, slots, isHeldUp, accountOf, autoAgents } = this.#parts;
    const waiting = [...this.#driving.keys()]
      .map((taskId) => selectTask(ledger.read, taskId))
      .filter((task) => task?.status === 'ready');
    const starting = waiting.flatMap((task) =>
      task?.routing.agent ? [{ id: task.id, agent: task.routing.agent }] : [],
    );
    // One that another node is to do has no agent here, and takes no slot.
    const startingIn = waiting.flatMap((task) => (task?.routing.agent && task.sessionId) || []);
    const isLeftOut = (taskId: TaskName) => this.#driving.has(taskId) || isHeldUp(taskId);
    return {
      get ofAgent() {
        const free = { ...slots().ofAgent };
        for (const { agent } of starting) free[agent] = (free[agent] ?? 0) - 1;
        return free;
      },
      get inAll() {
        return slots().inAll - starting.length;
      },
      ...{ among, accountOf, starting, startingIn, isLeftOut },
      autoAgentOf: autoAgents(),
    };
  }
}

/** Whether the fault says that a retry cannot succeed. */
function isPermanent(error: unknown): boolean {
  return error instanceof Error && 'retryable' in error && error.retryable === false;
}

/** Fails the order. If the failure cannot be written either, the next tick tries again. */
async function giveUp(
  { runner, log }: Pick<DispatcherParts, 'runner' | 'log'>,
  taskId: TaskName,
  cause: unknown,
): Promise<void> {
  try {
    await runner.fail(taskId, cause, isPermanent(cause));
  } catch (error) {
    log.log('order.failed', { task: taskId, ...faultFacts(error) });
  }
}
