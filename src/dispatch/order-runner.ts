import type { AgentSignal } from '../domain/agent/agent-signal.ts';
import type { QuotaHold } from '../domain/agent/quota.ts';
import { assertNever } from '../domain/assert-never.ts';
import { isDue, nextStep, type Step } from '../domain/execution/next-step.ts';
import { failureOfRefusal, isRefusal, type Refusal } from '../domain/refusal.ts';
import type { RoutedTask, TaskName } from '../domain/task/task.ts';
import { type OpenOrder, type OrderStore, unansweredFact } from '../operations/order/order-store.ts';
import type { PlainFact } from '../operations/order/record-fact.ts';
import type { Clock } from '../platform/clock.ts';
import type { RunningAttempt } from './attempt/attempt.ts';
import type { AgentInput } from './attempt/talk.ts';
import type { EarlierNode } from './earlier-node.ts';
import { OrderStop } from './order-stop.ts';
import type { OrderSteps } from './steps/steps.ts';

export interface RunnerParts {
  readonly store: OrderStore;
  readonly clock: Clock;
  readonly steps: OrderSteps;
  readonly earlierNode: EarlierNode;
  /** The hold on the account of a task's agent; null if its vendor serves it, or may be tried. */
  holdOfTask(task: RoutedTask): QuotaHold | null;
}

interface OwnRun {
  readonly taskId: TaskName;
  /** The order's signal, from the drive that leased the run. */
  readonly stop: OrderStop;
  /** Null until the agent's program has started. */
  readonly work: RunningAttempt | null;
}

type StepOf<Kind extends Step['kind']> = Extract<Step, { readonly kind: Kind }>;

/**
 * Advances orders step by step. It reads the facts of an order from the ledger before each step, and writes the result
 * of the step before the next one. So after a crash the next node continues from the same step with the same code.
 */
export class OrderRunner {
  readonly #parts: RunnerParts;
  /** Runs that this process leased. Another process started every other run of the ledger. */
  readonly #ownRuns = new Map<string, OwnRun>();
  /** One for each order in progress; aborted by `stop`, by a change of the task and by the shutdown of the node. */
  readonly #stops = new Map<TaskName, OrderStop>();
  #isClosing = false;

  constructor(parts: RunnerParts) {
    this.#parts = parts;
  }

  /** Advances the order of a task until it is reported, has to wait, or the task was moved. */
  async drive(taskId: TaskName): Promise<void> {
    const stop = new OrderStop();
    this.#stops.set(taskId, stop);
    if (this.#isClosing) stop.abort({ kind: 'loss' });
    try {
      for (let isOurs = true; isOurs; ) {
        const open = this.#parts.store.read(taskId);
        if (open === null) return;
        isOurs = await this.#run(open, nextStep(open.execution));
      }
    } finally {
      if (this.#stops.get(taskId) === stop) this.#stops.delete(taskId);
    }
  }

  /** Reports the order of a task if it is settled or asked to stop; does nothing otherwise. */
  async finish(taskId: TaskName): Promise<void> {
    if (this.#isStopped(taskId)) await this.drive(taskId);
  }

  /** Fails an order because a step cannot be done. An order that is settled already keeps its verdict. */
  async fail(taskId: TaskName, error: unknown, isLasting = false): Promise<void> {
    const open = this.#parts.store.read(taskId);
    if (!open || open.execution.outcome !== null) return;
    for (const [runId, run] of this.#ownRuns) if (run.taskId === taskId) await this.#end(runId, run);
    const message = error instanceof Error ? error.message : String(error);
    await this.#parts.store.fail(open, message, isLasting);
    await this.drive(taskId);
  }

  /** Removes unfinished worktrees of a dead node. Called before the first order. */
  tidy(): void {
    this.#parts.earlierNode.tidy();
  }

  /** Ends runs of a dead node as lost, and queues their tasks again or settles those that were to stop. Starts nothing. */
  async endLostRuns(taskId: TaskName): Promise<void> {
    const found = this.#parts.store.read(taskId);
    if (found && !(await this.#parts.earlierNode.takeOver(found))) return;
    for (let isOurs = true; isOurs; ) {
      const open = this.#parts.store.read(taskId);
      const step = open && nextStep(open.execution);
      const isLost = step?.kind === 'launch' || step?.kind === 'watch';
      if (!open || !step || this.#isClosing) return;
      if (!isLost && open.execution.stopRequestedBy !== null) return await this.drive(taskId);
      if (!isLost && step.kind !== 'requeue' && step.kind !== 'collect') return;
      isOurs = isLost ? await this.#lose(open, step.runId) : await this.#run(open, step);
    }
  }

  /** Ends the work on a task. The ledger already has the request, so `nextStep` knows of it. */
  stop(taskId: TaskName, by: string, sparesAnswer = false): void {
    for (const stop of this.#stopsOf(taskId)) stop.abort({ kind: 'stop', by, sparesAnswer });
  }

  /** Passes on a signal that a run sent over HTTP. Ignored unless this process runs it. */
  readonly receive = (runId: string, signal: AgentSignal) => this.#ownRuns.get(runId)?.work?.receive(signal);

  /** Tells a running agent something; false if it cannot be told while it works. */
  readonly tell = (runId: string, told: AgentInput) => this.#ownRuns.get(runId)?.work?.tell(told) ?? false;

  /** Stops processes whose run no longer holds the task. */
  releaseStale(taskId: TaskName): void {
    const { runId: holder, isWorkable } = this.#parts.store.holdOf(taskId);
    const isStale = [...this.#ownRuns].some(([runId, run]) => run.taskId === taskId && holder !== runId);
    if (isWorkable && !isStale) return;
    for (const stop of this.#stopsOf(taskId)) stop.abort({ kind: 'stop', by: 'operator' });
  }

  /** The node shuts down: starts nothing more and ends all runs as lost, which does not count as a retry. */
  close(): void {
    this.#isClosing = true;
    const own = [...this.#ownRuns.values()].map(({ stop }) => stop);
    for (const stop of [...this.#stops.values(), ...own]) stop.abort({ kind: 'loss' });
  }

  /** Runs one step. False if the order has to wait or is no longer ours. */
  async #run(open: OpenOrder, step: Step): Promise<boolean> {
    const { steps } = this.#parts;
    switch (step.kind) {
      case 'admit':
        return await this.#recordOrSettle(open, await steps.admit(open));
      case 'snapshot':
        return await this.#snapshot(open);
      case 'note-unanswered':
        return await this.#record(open, unansweredFact(open, step.alternative));
      case 'lease':
        return await this.#lease(open, step);
      case 'launch':
        return await this.#launch(open, step.runId);
      case 'watch':
        return await this.#watch(open, step.runId);
      case 'collect':
        return await this.#record(open, await steps.collect(open));
      case 'verify':
        return await this.#verify(open);
      case 'requeue':
        return await this.#requeue(open, step);
      case 'roll-back':
        return await this.#record(open, await steps.rollBack(open, step.trigger));
      case 'settle':
        return await this.#parts.store.settle(open, step.outcome);
      case 'report':
        return await this.#record(open, await steps.report(open));
      case 'send':
      case 'await':
      case 'recall':
      case 'bring':
        return await steps.remote(open, { step, stop: this.#stopOf(open).signals.stop });
      case 'rest':
        return false;
      default:
        return assertNever(step);
    }
  }

  /** Retried when the folder is free. If the shutdown interrupts a check, the next node repeats the step. */
  async #snapshot(open: OpenOrder): Promise<boolean> {
    const signal = this.#stopOf(open).either;
    if (!(await this.#mayBegin(open))) return false;
    try {
      const found = await this.#parts.steps.snapshot(open, signal);
      return found === null || this.#isClosing ? false : await this.#recordOrSettle(open, found);
    } catch (error) {
      // A call of git that was aborted on purpose is no fault; `nextStep` decides what follows.
      if (!signal.aborted) throw error;
      return !this.#isClosing && this.#isStopped(open.task.id);
    }
  }

  /** If the shutdown interrupts a check, its result is dropped and the next node repeats it. */
  async #verify(open: OpenOrder): Promise<boolean> {
    const found = await this.#stopOf(open).duringChecks((signal) => this.#parts.steps.verify(open, signal));
    return this.#isClosing ? false : await this.#record(open, found);
  }

  /** The signals of the drive, and of a run whose drive ended with a fault. */
  *#stopsOf(taskId: TaskName): Generator<OrderStop> {
    const stop = this.#stops.get(taskId);
    if (stop) yield stop;
    for (const run of this.#ownRuns.values()) if (run.taskId === taskId) yield run.stop;
  }

  #stopOf({ task }: OpenOrder): OrderStop {
    const stop = this.#stops.get(task.id);
    if (!stop) throw new Error(`${task.id} is not being driven`);
    return stop;
  }

  async #recordOrSettle(open: OpenOrder, found: PlainFact | Refusal): Promise<boolean> {
    return isRefusal(found)
      ? await this.#parts.store.refuse(open, failureOfRefusal(found))
      : await this.#record(open, found);
  }

  /** Whether the next attempt is due. A task that waited for it in blocked becomes ready and is planned anew. */
  async #mayBegin({ task, execution: { next } }: OpenOrder): Promise<boolean> {
    const dueAt = next?.dueAt ?? 0;
    if (!isDue({ since: task.lastTransitionAt, dueAt }, this.#parts.clock.now().wallMs)) return false;
    if (task.status !== 'blocked') return true;
    await this.#parts.store.unblock(task.id);
    return false;
  }

  async #lease(open: OpenOrder, { agent, alternative }: StepOf<'lease'>): Promise<boolean> {
    const { task } = open;
    if (this.#isClosing || !(await this.#mayBegin(open))) return false;
    const hold = this.#parts.holdOfTask({ id: task.id, agent });
    const runId = await this.#parts.store.lease(open, { agent, alternative }, hold);
    if (runId === null) return false;
    this.#ownRuns.set(runId, { taskId: task.id, stop: this.#stopOf(open), work: null });
    return true;
  }

  /** Loses a run that another process leased, since that process may have started the agent already. */
  async #launch(open: OpenOrder, runId: string): Promise<boolean> {
    const own = this.#ownRuns.get(runId);
    if (!own || this.#isClosing) return await this.#lose(open, runId);
    // The agent runs already if only its `launched` fact could not be written.
    const work = own.work ?? (await this.#parts.steps.launch(open, own.stop.signals));
    const run = { ...own, work };
    this.#ownRuns.set(runId, run);
    const { pid = null, startTicks = null } = work.process ?? {};
    const { fallback, resumed, theirs } = work;
    const noted = { ...(fallback && { fallback }), ...(resumed && { resumed }), ...(theirs && { theirs }) };
    if (await this.#record(open, { kind: 'launched', runId, pid, startTicks, ...noted })) return true;
    // Somebody moved the task during the launch.
    await this.#end(runId, run);
    return false;
  }

  /** Stops a run whose result is no longer needed. */
  async #end(runId: string, { stop, work }: OwnRun): Promise<void> {
    stop.abort({ kind: 'loss' });
    await work?.ended.catch(() => null);
    this.#ownRuns.delete(runId);
  }

  async #watch(open: OpenOrder, runId: string): Promise<boolean> {
    const own = this.#ownRuns.get(runId);
    if (!own?.work) return await this.#lose(open, runId);
    const { stopRequestedBy: by, stopReason } = open.execution;
    if (by !== null) own.stop.abort({ kind: 'stop', by, sparesAnswer: stopReason?.sparesAnswer ?? false });
    const ended = await own.work.ended;
    this.#ownRuns.delete(runId);
    return await this.#recordEnd(open, ended);
  }

  async #lose(open: OpenOrder, runId: string): Promise<boolean> {
    this.#ownRuns.delete(runId);
    await this.#parts.earlierNode.sweep(runId);
    const at = this.#parts.clock.now().wallMs;
    const spend = { costUsd: 0, tokens: 0, tokensInput: 0, tokensOutput: 0, tier: null };
    return await this.#recordEnd(open, {
      kind: 'ended',
      runId,
      end: { kind: 'lost' },
      spend,
      warnings: [],
      progress: null,
      at,
    });
  }

  /** The report that the agent sent itself is part of its end: the order is settled by both. */
  async #recordEnd(open: OpenOrder, ended: Extract<PlainFact, { readonly kind: 'ended' }>): Promise<boolean> {
    return await this.#record(open, { ...ended, report: this.#parts.store.reportOf(ended.runId) });
  }

  async #requeue({ task, execution }: OpenOrder, step: StepOf<'requeue'>): Promise<boolean> {
    const { kind: _, ...request } = step;
    const { alternative } = step;
    const { admitted } = execution;
    const agent = (alternative === null ? admitted?.agent : admitted?.alternatives[alternative]) ?? null;
    return await this.#parts.store.requeue({ taskId: task.id, agent, ...request });
  }

  async #record({ task }: OpenOrder, fact: PlainFact): Promise<boolean> {
    return await this.#parts.store.record(task.id, fact);
  }

  /** One on another node takes its time to stop: it is not waited for here. */
  #isStopped(taskId: TaskName): boolean {
    const { execution } = this.#parts.store.read(taskId) ?? {};
    return !execution || execution.outcome !== null || (!execution.remote && execution.stopRequestedBy !== null);
  }
}
