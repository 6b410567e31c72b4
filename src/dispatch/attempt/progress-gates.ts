import type { ProgressSignal } from '../../domain/agent/agent-signal.ts';
import { AOP_PROGRESS_EVERY_MS } from '../../domain/process-limits.ts';
import type { TaskName } from '../../domain/task/task.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Timer } from '../../platform/timer.ts';

type Send = (progress: ProgressSignal) => void;

export interface ProgressGateParts {
  readonly clock: Clock;
  readonly timer: Timer;
  readonly send: Send;
}

/** aop:events: sends the progress of one task at most every 30 seconds, and the last of a run with its end; of several, the last. */
export class ProgressGate {
  readonly #parts: ProgressGateParts;
  #sentAt: number | null = null;
  #held: ProgressSignal | null = null;
  #cancel: () => void = () => {};

  constructor(parts: ProgressGateParts) {
    this.#parts = parts;
  }

  take(progress: ProgressSignal): void {
    const isWaiting = this.#held !== null;
    this.#held = progress;
    const waitMs = this.#waitMs();
    if (waitMs <= 0) this.#send();
    else if (!isWaiting) this.#cancel = this.#parts.timer.after(waitMs, () => this.#send());
  }

  /** The run is over: progress that was held back goes out now, since none follows it. */
  end(): void {
    this.#send();
  }

  #waitMs(): number {
    if (this.#sentAt === null) return 0;
    return this.#sentAt + AOP_PROGRESS_EVERY_MS - this.#parts.clock.now().monotonicMs;
  }

  #send(): void {
    this.#cancel();
    const progress = this.#held;
    if (progress === null) return;
    this.#held = null;
    this.#sentAt = this.#parts.clock.now().monotonicMs;
    this.#parts.send(progress);
  }
}

/** aop:heartbeat: sends a beat for signs of life, at most one an interval; none without them. */
export class BeatGate {
  readonly #clock: Clock;
  readonly #everyMs: number;
  readonly #send: () => void;
  #sentAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, everyMs: number, send: () => void) {
    this.#clock = clock;
    this.#everyMs = everyMs;
    this.#send = send;
  }

  take(): void {
    const now = this.#clock.now().monotonicMs;
    if (now - this.#sentAt < this.#everyMs) return;
    this.#sentAt = now;
    this.#send();
  }
}

/** One gate a task, so that the 30 seconds also count from one attempt to the next. */
export class ProgressGates {
  readonly #clock: Clock;
  readonly #timer: Timer;
  readonly #gates = new Map<TaskName, { readonly gate: ProgressGate; send: Send }>();

  constructor(clock: Clock, timer: Timer) {
    this.#clock = clock;
    this.#timer = timer;
  }

  /** The gate of a task, which from now on sends for this run. */
  of(taskId: TaskName, send: Send): ProgressGate {
    const found = this.#gates.get(taskId);
    if (found) {
      found.send = send;
      return found.gate;
    }
    const gate = new ProgressGate({
      clock: this.#clock,
      timer: this.#timer,
      send: (progress) => this.#gates.get(taskId)?.send(progress),
    });
    this.#gates.set(taskId, { gate, send });
    return gate;
  }

  release(taskId: TaskName): void {
    this.#gates.delete(taskId);
  }
}
