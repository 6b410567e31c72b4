import type { LiveProcess, OutputLine, ProcessEnd } from '../../agents/sandbox/sandbox.ts';
import type { AgentSignal } from '../../domain/agent/agent-signal.ts';
import { type StopCause, type WatchedRun, watchLimits } from '../../domain/execution/watch-limits.ts';
import { type DaySpent, isDayOver, isOverBudget, type Spend } from '../../domain/order/budget.ts';
import type { OrderWarning } from '../../domain/order/warning.ts';
import { INTERRUPT_GRACE_MS, WATCH_LATE_MS, WATCH_WAIT_MS_MAX } from '../../domain/process-limits.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Timer } from '../../platform/timer.ts';
import type { RunLimits } from './attempt.ts';
import { type LimitNotice, limitNotice, type WarnedLimit } from './limit-notice.ts';
import type { ProgressGate } from './progress-gates.ts';
import { addSignal, hasAnswered, NOTHING_HEARD, type RunTally, unavailable } from './run-tally.ts';
import type { AgentInput, Talk } from './talk.ts';

export interface WatchParts {
  readonly limits: RunLimits;
  readonly talk: Talk;
  readonly clock: Clock;
  readonly timer: Timer;
  /** Aborted, the run is stopped. */
  readonly stop: AbortSignal;
  /** Aborted, the run is stopped unless its agent has answered. */
  readonly sparing?: AbortSignal;
  readonly progress: Pick<ProgressGate, 'take' | 'end'>;
  /** Every signal of the agent, in order. While a returned promise is pending, the agent waits. */
  onSignal(signal: AgentSignal): void | Promise<void>;
  onNotice(notice: LimitNotice): void;
}

/** The observations of a process that is gone. */
export interface WatchEnd extends Omit<RunTally, 'retrying' | 'finishedAt'> {
  readonly exit: ProcessEnd;
  /** Null where the process ended by itself, within its limits. */
  readonly cause: StopCause | null;
  readonly warnings: readonly OrderWarning[];
  /** Null where it met no cap of the day. */
  readonly day: DaySpent | null;
}

/** Watches one process, from before it is started until it is gone. */
export interface ProcessWatch {
  /** For the onLine of its process. */
  line(line: OutputLine): void | Promise<void>;
  /** A signal of the agent that reached the node by another way than its output. */
  receive(signal: AgentSignal): void;
  /** Passes something on to the agent while it works; false if it cannot be reached. */
  tell(told: AgentInput): boolean;
  /** While the agent waits for a person, its silence does not count. */
  setWaiting(isWaiting: boolean): void;
  /** Its clocks start now. Throws only what a callback threw. */
  until(process: LiveProcess): Promise<WatchEnd>;
}

export function watchProcess(parts: WatchParts): ProcessWatch {
  return new Watch(parts);
}

class Watch implements ProcessWatch {
  readonly #parts: WatchParts;
  readonly #talk: Talk;
  readonly #warnings: OrderWarning[] = [];
  #process: LiveProcess | null = null;
  #cause: StopCause | null = null;
  #startedAt = 0;
  #heardAt = 0;
  #isTimeoutReported = false;
  #isSpendReported = false;
  #isDayReported = false;
  #isSilenceReported = false;
  #isWaiting = false;
  #tally = NOTHING_HEARD;
  #answeredAt: number | null = null;
  #cancelCheck: () => void = () => {};

  constructor(parts: WatchParts) {
    this.#parts = parts;
    this.#talk = parts.talk;
  }

  line(line: OutputLine): void | Promise<void> {
    this.#beat();
    return this.#takeAll(this.#talk.line(line));
  }

  tell(told: AgentInput): boolean {
    if (this.#process === null || this.#process.hasExited) return false;
    const { isTold, signals } = this.#talk.tell(told);
    void this.#takeAll(signals);
    return isTold;
  }

  setWaiting(isWaiting: boolean): void {
    this.#isWaiting = isWaiting;
    this.#heardAt = this.#now();
    this.#checkLimits();
  }

  receive(signal: AgentSignal): void {
    this.#beat();
    void this.#takeAll([signal]);
  }

  #beat(): void {
    this.#heardAt = this.#now();
    if (!this.#isSilenceReported) return;
    this.#isSilenceReported = false;
    this.#checkLimits();
  }

  async until(process: LiveProcess): Promise<WatchEnd> {
    const { stop, sparing, progress } = this.#parts;
    this.#process = process;
    this.#talk.begin(process);
    this.#startedAt = this.#now();
    this.#heardAt = this.#startedAt;
    const check = () => this.#checkLimits();
    for (const signal of [stop, sparing]) signal?.addEventListener('abort', check);
    check();
    try {
      const exit = await process.ended;
      this.#process = null;
      await this.#takeAll(this.#talk.end());
      return this.#end(exit);
    } finally {
      for (const signal of [stop, sparing]) signal?.removeEventListener('abort', check);
      this.#cancelCheck();
      progress.end();
    }
  }

  #end(exit: ProcessEnd): WatchEnd {
    // The last signal may report a cost over the budget.
    const cause = this.#cause ?? this.#overspent();
    return {
      // A process that had finished its work and was ended by Baton did not crash.
      exit: cause === 'linger' && exit.kind === 'exited' ? { ...exit, exitCode: 0, signal: null } : exit,
      cause: cause === 'linger' ? null : cause,
      ...this.#tally,
      day: this.#day(),
      warnings: this.#warnings,
    };
  }

  #takeAll(signals: readonly AgentSignal[]): void | Promise<void> {
    let pending: Promise<unknown> | undefined;
    const isAnswered = hasAnswered(this.#answeredAt !== null, signals);
    this.#answeredAt = isAnswered ? (this.#answeredAt ?? this.#now()) : null;
    for (const signal of signals) {
      this.#take(signal);
      const kept = this.#parts.onSignal(signal);
      if (kept) pending = pending ? Promise.all([pending, kept]) : kept;
    }
    if (pending) return pending.then(() => {});
  }

  #take(signal: AgentSignal): void {
    this.#tally = addSignal(this.#tally, signal, this.#parts.clock.now());
    if (signal.kind === 'progress' && signal.percentage !== null && signal.isForSender)
      this.#parts.progress.take(signal);
    if (MOVES_LIMITS.has(signal.kind)) this.#checkLimits();
  }

  /** Applies the limits that are due, and sets a timer for the next one. */
  #checkLimits(): void {
    // A process that ended by itself kept its limits, however late its end is noticed.
    if (this.#process === null || this.#process.hasExited || this.#cause !== null) return;
    this.#cancelCheck();
    for (;;) {
      const step = watchLimits(this.#facts(), this.#now());
      if (step.kind === 'stop') {
        this.#cause = step.cause;
        if (step.cause === 'unavailable') this.#tally = unavailable(this.#tally);
        void this.#stop(this.#process);
        return;
      }
      if (step.kind === 'wait') {
        if (step.until !== null) this.#checkAt(step.until);
        return;
      }
      this.#warn(step.about);
    }
  }

  /** An agent that can be told to leave off closes its session with the vendor first. */
  async #stop(process: LiveProcess): Promise<void> {
    const isTold = this.#cause !== 'linger' && this.tell({ kind: 'interrupt' });
    if (isTold) {
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const cancel = this.#parts.timer.after(INTERRUPT_GRACE_MS, resolve);
      await Promise.race([process.ended.catch(() => {}), late]);
      cancel();
    }
    await process.stop();
  }

  #checkAt(due: number): void {
    const { timer } = this.#parts;
    const dueAt = Math.min(due, this.#now() + WATCH_WAIT_MS_MAX);
    this.#cancelCheck = timer.after(dueAt - this.#now(), () => {
      // Baton itself was suspended, so silence in that time says nothing about the agent.
      if (this.#now() - dueAt > WATCH_LATE_MS) this.#heardAt = this.#now();
      // Output that arrived in that time is read first.
      void timer.breathe().then(() => this.#checkLimits());
    });
  }

  #warn(about: WarnedLimit): void {
    if (about === 'timeout') this.#isTimeoutReported = true;
    else if (about === 'heartbeat') this.#isSilenceReported = true;
    else if (about === 'day') this.#isDayReported = true;
    else this.#isSpendReported = true;
    const notice = limitNotice(about, this.#parts.limits, { ...this.#spent(), day: this.#day() });
    this.#warnings.push({ kind: 'limit', path: null, ...notice });
    this.#parts.onNotice(notice);
  }

  #facts(): WatchedRun {
    const { limits, stop, sparing } = this.#parts;
    const { failure, retrying, finishedAt } = this.#tally;
    const isSparing = sparing?.aborted === true;
    return {
      policy: limits.policy,
      budget: limits.budget,
      spent: this.#spent(),
      day: this.#day(),
      startedAt: this.#startedAt,
      heardAt: this.#heardAt,
      isStopRequested: stop.aborted || (isSparing && this.#answeredAt === null),
      isTimeoutReported: this.#isTimeoutReported,
      isSpendReported: this.#isSpendReported,
      isDayReported: this.#isDayReported,
      isSilenceReported: this.#isSilenceReported,
      isWaitingForPerson: this.#isWaiting,
      hasFailed: failure !== null,
      retrying,
      finishedAt: isSparing ? (finishedAt ?? this.#answeredAt) : finishedAt,
    };
  }

  #spent(): Spend {
    const { spentBefore } = this.#parts.limits;
    const { costUsd, tokens } = this.#tally.spend;
    return { costUsd: spentBefore.costUsd + costUsd, tokens: spentBefore.tokens + tokens };
  }

  /** Null for a run that has cost nothing: it spends none of the day's money. */
  #day(): DaySpent | null {
    const { day = null } = this.#parts.limits;
    const { costUsd } = this.#tally.spend;
    return day === null || costUsd === 0 ? null : { usdMax: day.usdMax, usd: day.spentUsd(costUsd) };
  }

  #overspent(): 'budget' | 'day' | null {
    if (isOverBudget(this.#parts.limits.budget, this.#spent())) return 'budget';
    const day = this.#day();
    return day !== null && isDayOver(day) ? 'day' : null;
  }

  #now(): number {
    return this.#parts.clock.now().monotonicMs;
  }
}

/** Signals after which another limit may be due. */
const MOVES_LIMITS: ReadonlySet<AgentSignal['kind']> = new Set(['usage', 'retrying', 'quota', 'failure', 'finished']);
