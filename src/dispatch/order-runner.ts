import type { AgentSignal } from '../domain/agent-signal.ts';
import { assertNever } from '../domain/assert-never.ts';
import { nextStep, type Step } from '../domain/decisions/next-step.ts';
import type { Outcome } from '../domain/execution/fact.ts';
import { isDue } from '../domain/is-due.ts';
import { isRefusal, type Refusal } from '../domain/refusal.ts';
import type { TaskName } from '../domain/task.ts';
import type { PlainFact } from '../operations/record-fact.ts';
import type { Clock } from '../platform/clock.ts';
import type { OrderBook } from './order-book.ts';
import type { OpenOrder, OrderSteps, Work } from './order-steps.ts';
import { OrderWriter } from './order-writer.ts';

export interface RunnerParts {
  readonly book: OrderBook;
  readonly clock: Clock;
  readonly steps: OrderSteps;
}

interface CarriedRun {
  readonly taskId: TaskName;
  /** Null until its program is started. */
  readonly work: Work | null;
}

type StepOf<Kind extends Step['kind']> = Extract<Step, { readonly kind: Kind }>;

/**
 * Carries out orders, step by step. What is known stands in the ledger: before each step the facts are read, and what
 * the step found is written before the next is asked for. So a node that comes after a crash goes on from the same
 * place, by the same code.
 */
export class OrderRunner {
  readonly #parts: RunnerParts;
  readonly #writer: OrderWriter;
  /** Runs that this process leased: whatever else it reads of in the ledger, another one started. */
  readonly #carried = new Map<string, CarriedRun>();
  /** One for each order that is being driven: stop, a move by hand and the end of the node abort it. */
  readonly #stops = new Map<TaskName, AbortController>();
  #isClosing = false;

  constructor(parts: RunnerParts) {
    this.#parts = parts;
    this.#writer = new OrderWriter(parts.book);
  }

  /** Goes on with a task's order until it is reported, waits for its time, or is no longer ours. */
  async drive(taskId: TaskName): Promise<void> {
    const stop = new AbortController();
    this.#stops.set(taskId, stop);
    if (this.#isClosing) stop.abort();
    try {
      for (let isOurs = true; isOurs; ) {
        const order = this.#parts.book.read(taskId);
        if (order === null) return;
        isOurs = await this.#take(order, nextStep(order.execution));
      }
    } finally {
      if (this.#stops.get(taskId) === stop) this.#stops.delete(taskId);
    }
  }

  /** What has its verdict and is not reported yet; of anything else nothing is begun. */
  async finish(taskId: TaskName): Promise<void> {
    if (this.#parts.book.read(taskId)?.execution.outcome) await this.drive(taskId);
  }

  /** A step of the order cannot be done here. What has a verdict already keeps it, and is reported another time. */
  async fail(taskId: TaskName, error: unknown): Promise<void> {
    const order = this.#parts.book.read(taskId);
    if (!order || order.execution.outcome !== null) return;
    for (const [runId, run] of this.#carried) if (run.taskId === taskId) await this.#end(runId, run);
    const message = error instanceof Error ? error.message : String(error);
    await this.#settle(order, { signal: 'FAILURE', isUnchecked: false, code: 'E_UNKNOWN', message, attempts: [] });
    await this.drive(taskId);
  }

  /** Before the first order: what a node that died left half made goes. */
  tidy(): void {
    this.#parts.steps.tidy();
  }

  /**
   * After another node's death: a run that only it could have known the end of is given up, and its task goes round
   * again. Nothing is started by it.
   */
  async giveUpLost(taskId: TaskName): Promise<void> {
    const found = this.#parts.book.read(taskId);
    if (found) this.#parts.steps.resume(found);
    for (let isOurs = true; isOurs; ) {
      const order = this.#parts.book.read(taskId);
      const step = order && nextStep(order.execution);
      const isLost = step?.kind === 'launch' || step?.kind === 'watch';
      if (!order || !step || this.#isClosing || !(isLost || step.kind === 'requeue')) return;
      isOurs = isLost ? await this.#lose(order, step.runId) : await this.#take(order, step);
    }
  }

  /** Ends the work on a task; the stop is in the ledger already, so the next step follows from it. */
  stop(taskId: TaskName, by: string): void {
    this.#stops.get(taskId)?.abort();
    const runId = this.#parts.book.runOf(taskId);
    if (runId !== null) this.#carried.get(runId)?.work?.stop(by);
  }

  /** A signal that a run sent by another way than its output. Ignored unless the run is at work in this process. */
  receive(runId: string, signal: AgentSignal): void {
    this.#carried.get(runId)?.work?.receive(signal);
  }

  /** The task was taken away from its run: what still works for it is ended. */
  releaseStale(taskId: TaskName): void {
    const { runId: holder, isWorkable } = this.#parts.book.holdOf(taskId);
    if (!isWorkable) this.#stops.get(taskId)?.abort();
    for (const [runId, run] of this.#carried) {
      if (run.taskId === taskId && holder !== runId) run.work?.stop('operator');
    }
  }

  /** The node goes down: nothing new begins, and what runs is ended without being held against the order. */
  close(): void {
    this.#isClosing = true;
    for (const stop of this.#stops.values()) stop.abort();
    for (const { work } of this.#carried.values()) work?.lose();
  }

  /** One step. False where there is nothing more to do for now. */
  async #take(order: OpenOrder, step: Step): Promise<boolean> {
    const { steps } = this.#parts;
    switch (step.kind) {
      case 'admit':
        return await this.#keepOrSettle(order, await steps.admit(order));
      case 'snapshot':
        return await this.#snapshot(order);
      case 'note-unanswered':
        return await this.#noteUnanswered(order, step);
      case 'lease':
        return await this.#lease(order, step);
      case 'launch':
        return await this.#launch(order, step.runId);
      case 'watch':
        return await this.#watch(order, step.runId);
      case 'collect':
        return await this.#keep(order, await steps.collect(order, step.runId));
      case 'verify':
        return await this.#verify(order, step.runId);
      case 'requeue':
        return await this.#requeue(order, step);
      case 'roll-back':
        return await this.#keep(order, await steps.rollBack(order, step.trigger));
      case 'settle':
        return await this.#settle(order, step.outcome);
      case 'report':
        return await this.#keep(order, await steps.report(order));
      case 'rest':
        return false;
      default:
        return assertNever(step);
    }
  }

  /** Retried when the folder is free; a check that the end of the node interrupted is the next node's. */
  async #snapshot(order: OpenOrder): Promise<boolean> {
    const { signal } = this.#stopOf(order);
    try {
      const found = await this.#parts.steps.snapshot(order, signal);
      return found === null || this.#isClosing ? false : await this.#keepOrSettle(order, found);
    } catch (error) {
      // A call of git that was ended on purpose is no fault: the ledger says what follows.
      if (!signal.aborted) throw error;
      return !this.#isClosing && this.#isStopped(order.task.id);
    }
  }

  /** A check that was ended with the node says nothing about the work: the next node makes it again. */
  async #verify(order: OpenOrder, runId: string): Promise<boolean> {
    const found = await this.#parts.steps.verify(order, runId, this.#stopOf(order).signal);
    return this.#isClosing ? false : await this.#keep(order, found);
  }

  #stopOf({ task }: OpenOrder): AbortController {
    const stop = this.#stops.get(task.id);
    if (!stop) throw new Error(`${task.id} is not being driven`);
    return stop;
  }

  async #keepOrSettle(order: OpenOrder, found: PlainFact | Refusal): Promise<boolean> {
    if (!isRefusal(found)) return await this.#keep(order, found);
    const { code, message } = found;
    return await this.#settle(order, { signal: 'FAILURE', isUnchecked: false, code, message, attempts: [] });
  }

  async #noteUnanswered(order: OpenOrder, { alternative }: StepOf<'note-unanswered'>): Promise<boolean> {
    const { target, alternatives } = order.execution.order;
    const wanted = alternative === null ? target : alternatives[alternative];
    const message = `no agent answers to ${wanted?.provider} ${wanted?.model}`;
    return await this.#keep(order, { kind: 'unanswered', alternative, message });
  }

  async #lease({ task }: OpenOrder, { agent, alternative, dueAt }: StepOf<'lease'>): Promise<boolean> {
    const isTime = isDue({ since: task.lastTransitionAt, dueAt }, this.#parts.clock.now().wallMs);
    if (this.#isClosing || !isTime) return false;
    const runId = await this.#writer.lease({ taskId: task.id, agent, alternative });
    if (runId === null) return false;
    this.#carried.set(runId, { taskId: task.id, work: null });
    return true;
  }

  /** A run that another process leased may have been started by it, unseen: it is given up, and begun anew. */
  async #launch(order: OpenOrder, runId: string): Promise<boolean> {
    if (!this.#carried.has(runId) || this.#isClosing) return await this.#lose(order, runId);
    // Started already, where only the fact could not be written.
    const work = this.#carried.get(runId)?.work ?? (await this.#parts.steps.launch(order, runId));
    this.#carried.set(runId, { taskId: order.task.id, work });
    if (this.#isClosing) work.lose();
    const { pid = null, startTicks = null } = work.process ?? {};
    if (await this.#keep(order, { kind: 'launched', runId, pid, startTicks })) return true;
    // Somebody took the task away while its program was being started: nobody waits for it any more.
    await this.#end(runId, { work });
    return false;
  }

  /** What nobody waits for any more; how it ends is of no account. */
  async #end(runId: string, { work }: Pick<CarriedRun, 'work'>): Promise<void> {
    work?.lose();
    await work?.ended.catch(() => null);
    this.#carried.delete(runId);
  }

  async #watch(order: OpenOrder, runId: string): Promise<boolean> {
    const work = this.#carried.get(runId)?.work;
    if (!work) return await this.#lose(order, runId);
    if (order.execution.stopRequestedBy !== null) work.stop(order.execution.stopRequestedBy);
    const ended = await work.ended;
    this.#carried.delete(runId);
    return await this.#keep(order, ended);
  }

  async #lose(order: OpenOrder, runId: string): Promise<boolean> {
    this.#carried.delete(runId);
    await this.#parts.steps.sweep(runId);
    const at = this.#parts.clock.now().wallMs;
    const spend = { costUsd: 0, tokens: 0, tokensInput: 0, tokensOutput: 0, tier: null };
    return await this.#keep(order, {
      kind: 'ended',
      runId,
      end: { kind: 'lost' },
      spend,
      warnings: [],
      progress: null,
      at,
    });
  }

  async #requeue({ task, execution }: OpenOrder, step: StepOf<'requeue'>): Promise<boolean> {
    const { alternative, afterMs, reason } = step;
    const { admitted } = execution;
    const agent = (alternative === null ? admitted?.agent : admitted?.alternatives[alternative]) ?? null;
    return await this.#writer.requeue({ taskId: task.id, agent, alternative, afterMs, reason });
  }

  async #settle(order: OpenOrder, outcome: Outcome): Promise<boolean> {
    return await this.#writer.settle(order, outcome);
  }

  async #keep({ task }: OpenOrder, fact: PlainFact): Promise<boolean> {
    return await this.#writer.keep(task.id, fact);
  }

  #isStopped(taskId: TaskName): boolean {
    const order = this.#parts.book.read(taskId);
    return order === null || order.execution.stopRequestedBy !== null || order.execution.outcome !== null;
  }
}
