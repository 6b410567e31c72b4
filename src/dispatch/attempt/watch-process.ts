import type { OutputReader } from '../../agents/agent-driver.ts';
import type { LiveProcess, OutputLine, ProcessEnd } from '../../agents/sandbox/sandbox.ts';
import type { AgentSignal, MalformedClaimSignal, ProgressSignal, UsageSignal } from '../../domain/agent-signal.ts';
import { isOverBudget, type Spend } from '../../domain/budget.ts';
import { type StopCause, type WatchedRun, watchLimits } from '../../domain/decisions/watch-limits.ts';
import type { Claim } from '../../domain/execution/findings.ts';
import { WATCH_LATE_MS, WATCH_WAIT_MS_MAX } from '../../domain/limits.ts';
import type { Warning } from '../../domain/warning.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Timer } from '../../platform/timer.ts';
import type { EndedFact, RunLimits } from './attempt.ts';
import type { ProgressGate } from './progress-gates.ts';

/** A limit that a run passed and that does not end it. */
export interface WatchNotice {
  readonly code: 'E_TIMEOUT' | 'E_HEARTBEAT_FAILURE';
  readonly message: string;
}

export interface WatchParts {
  readonly limits: RunLimits;
  readonly reader: OutputReader;
  readonly clock: Clock;
  readonly timer: Timer;
  /** Aborted, the run is stopped. */
  readonly stop: AbortSignal;
  readonly progress: ProgressGate;
  /** Every signal of the agent, in order. While a returned promise is pending, the agent waits. */
  onSignal(signal: AgentSignal): void | Promise<void>;
  onNotice(notice: WatchNotice): void;
}

/** The observations of a process that is gone. */
export interface WatchEnd {
  readonly exit: ProcessEnd;
  /** Null where the process ended by itself, within its limits. */
  readonly cause: StopCause | null;
  /** The last one. */
  readonly claim: Claim | null;
  /** The first one: no later claim makes up for it. */
  readonly malformed: MalformedClaimSignal | null;
  /** Of this run alone. */
  readonly spend: EndedFact['spend'];
  readonly warnings: readonly Warning[];
  readonly progress: EndedFact['progress'];
}

/** Watches one process, from before it is started until it is gone. */
export interface ProcessWatch {
  /** For the onLine of its process. */
  line(line: OutputLine): void | Promise<void>;
  /** A signal of the agent that reached the node by another way than its output. */
  receive(signal: AgentSignal): void;
  /** Its clocks start now. Throws only what a callback threw. */
  until(process: LiveProcess): Promise<WatchEnd>;
}

export function watchProcess(parts: WatchParts): ProcessWatch {
  return new Watch(parts);
}

class Watch implements ProcessWatch {
  readonly #parts: WatchParts;
  readonly #warnings: Warning[] = [];
  #process: LiveProcess | null = null;
  #cause: StopCause | null = null;
  #startedAt = 0;
  #heardAt = 0;
  #isTimeoutReported = false;
  #isSilenceReported = false;
  #claim: WatchEnd['claim'] = null;
  #malformed: WatchEnd['malformed'] = null;
  #spend: WatchEnd['spend'] = { costUsd: 0, tokens: 0, tokensInput: 0, tokensOutput: 0, tier: null };
  #progress: WatchEnd['progress'] = null;
  #cancelCheck: () => void = () => {};

  constructor(parts: WatchParts) {
    this.#parts = parts;
  }

  line(line: OutputLine): void | Promise<void> {
    this.#beat();
    return this.#takeAll(this.#parts.reader.line(line));
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
    const { stop, progress } = this.#parts;
    this.#process = process;
    this.#startedAt = this.#now();
    this.#heardAt = this.#startedAt;
    const check = () => this.#checkLimits();
    stop.addEventListener('abort', check);
    check();
    try {
      const exit = await process.ended;
      this.#process = null;
      await this.#takeAll(this.#parts.reader.end());
      return this.#end(exit);
    } finally {
      stop.removeEventListener('abort', check);
      this.#cancelCheck();
      progress.drop();
    }
  }

  #end(exit: ProcessEnd): WatchEnd {
    // The last signal may report a cost over the budget.
    const cause = this.#cause ?? (isOverBudget(this.#parts.limits.budget, this.#spent()) ? 'budget' : null);
    return {
      exit,
      cause,
      claim: this.#claim,
      malformed: this.#malformed,
      spend: this.#spend,
      warnings: this.#warnings,
      progress: this.#progress,
    };
  }

  #takeAll(signals: readonly AgentSignal[]): void | Promise<void> {
    const pending: Promise<void>[] = [];
    for (const signal of signals) {
      this.#take(signal);
      const kept = this.#parts.onSignal(signal);
      if (kept) pending.push(kept);
    }
    if (pending.length > 0) return Promise.all(pending).then(() => {});
  }

  #take(signal: AgentSignal): void {
    switch (signal.kind) {
      case 'claim':
        this.#claim = signal.claim;
        break;
      case 'malformed-claim':
        this.#malformed ??= signal;
        break;
      case 'usage':
        this.#spend = withUsage(this.#spend, signal);
        this.#checkLimits();
        break;
      case 'progress':
        this.#takeProgress(signal);
        break;
      default:
        // Stored or logged by onSignal; no limit depends on it.
        break;
    }
  }

  #takeProgress(signal: ProgressSignal): void {
    const { percentage, isForSender } = signal;
    if (percentage === null) return;
    this.#progress = { at: this.#parts.clock.now().wallMs, percentage };
    if (isForSender) this.#parts.progress.take(signal);
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
        void this.#process.stop();
        return;
      }
      if (step.kind === 'wait') {
        if (step.until !== null) this.#checkAt(step.until);
        return;
      }
      this.#warn(step.about);
    }
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

  #warn(about: 'timeout' | 'heartbeat'): void {
    const { timeoutSeconds, heartbeat } = this.#parts.limits.policy;
    const isTimeout = about === 'timeout';
    if (isTimeout) this.#isTimeoutReported = true;
    else this.#isSilenceReported = true;
    const notice: WatchNotice = isTimeout
      ? { code: 'E_TIMEOUT', message: `it has run longer than ${timeoutSeconds} s; it may continue` }
      : { code: 'E_HEARTBEAT_FAILURE', message: `no output or heartbeat for ${silenceSeconds(heartbeat)} s` };
    this.#warnings.push({ kind: 'limit', path: null, ...notice });
    this.#parts.onNotice(notice);
  }

  #facts(): WatchedRun {
    const { limits, stop } = this.#parts;
    return {
      policy: limits.policy,
      budget: limits.budget,
      spent: this.#spent(),
      startedAt: this.#startedAt,
      heardAt: this.#heardAt,
      isStopRequested: stop.aborted,
      isTimeoutReported: this.#isTimeoutReported,
      isSilenceReported: this.#isSilenceReported,
    };
  }

  #spent(): Spend {
    const { spentBefore } = this.#parts.limits;
    const { costUsd, tokens } = this.#spend;
    return { costUsd: spentBefore.costUsd + costUsd, tokens: spentBefore.tokens + tokens };
  }

  #now(): number {
    return this.#parts.clock.now().monotonicMs;
  }
}

function silenceSeconds({ intervalSeconds, missedBeatsMax }: RunLimits['policy']['heartbeat']): number {
  return intervalSeconds * missedBeatsMax;
}

/** A figure that the agent does not report keeps its earlier value. */
function withUsage(spend: WatchEnd['spend'], usage: UsageSignal): WatchEnd['spend'] {
  const tokensInput = usage.tokensInput ?? spend.tokensInput;
  const tokensOutput = usage.tokensOutput ?? spend.tokensOutput;
  const costUsd = usage.costUsd ?? spend.costUsd;
  return { costUsd, tokens: tokensInput + tokensOutput, tokensInput, tokensOutput, tier: usage.tier ?? spend.tier };
}
