import type { ProgressSignal } from '../domain/agent-signal.ts';
import type { TaskName } from '../domain/task.ts';
import type { Clock } from '../platform/clock.ts';
import type { Timer } from '../platform/timer.ts';
import { ProgressGate } from './progress-gate.ts';

/** One gate a task: its next attempt does not begin to count anew. */
export class ProgressGates {
  readonly #clock: Clock;
  readonly #timer: Timer;
  readonly #gates = new Map<TaskName, ProgressGate>();
  readonly #senders = new Map<TaskName, (progress: ProgressSignal) => void>();

  constructor(clock: Clock, timer: Timer) {
    this.#clock = clock;
    this.#timer = timer;
  }

  /** The task's gate, from now on with this run behind it. */
  of(taskId: TaskName, send: (progress: ProgressSignal) => void): ProgressGate {
    this.#senders.set(taskId, send);
    const parts = { clock: this.#clock, timer: this.#timer };
    const gate =
      this.#gates.get(taskId) ??
      new ProgressGate({ ...parts, send: (progress) => this.#senders.get(taskId)?.(progress) });
    this.#gates.set(taskId, gate);
    return gate;
  }

  release(taskId: TaskName): void {
    this.#gates.delete(taskId);
    this.#senders.delete(taskId);
  }
}
