import type { ProgressSignal } from '../../domain/agent/agent-signal.ts';
import { RUN_PROGRESS_SHOWN_MS } from '../../domain/limits.ts';
import type { Prompt } from '../../domain/order/prompt.ts';
import type { Clock } from '../../platform/clock.ts';

type Note = Omit<ProgressSignal, 'kind'> & {
  /** The sender's name for the task; null in an event for people. */
  readonly senderTask: string | null;
  /** A sign of life, with the progress so far. */
  readonly isBeat?: true;
};

/** The progress of one run as events: for people at once, for the sender of the order at the pace of its protocol. */
export class ProgressNotes {
  readonly #clock: Clock;
  readonly #announce: (note: Note) => void;
  #shownAt = Number.NEGATIVE_INFINITY;
  #shown: number | string | null = null;
  #last: ProgressSignal | null = null;

  constructor(clock: Clock, announce: (note: Note) => void) {
    this.#clock = clock;
    this.#announce = announce;
  }

  /** At most one entry in RUN_PROGRESS_SHOWN_MS, and none that repeats the last one. */
  show(signal: ProgressSignal): void {
    this.#last = signal;
    const { kind: _kind, ...progress } = signal;
    const mark = progress.percentage ?? progress.text;
    const now = this.#clock.now().monotonicMs;
    if (mark === this.#shown || (now - this.#shownAt < RUN_PROGRESS_SHOWN_MS && progress.percentage !== 100)) return;
    this.#shownAt = now;
    this.#shown = mark;
    this.#announce({ ...progress, isForSender: false, senderTask: null });
  }

  /** Progress for the sender, who has a name of its own for the task; without an order nobody waits for it. */
  send({ kind: _kind, ...progress }: ProgressSignal, { ordered }: Prompt): void {
    if (ordered !== null) this.#announce({ ...progress, isForSender: true, senderTask: ordered.order.taskId });
  }

  /** aop:heartbeat: a sign of life for the sender. */
  beat({ ordered }: Prompt): void {
    if (ordered === null) return;
    const { percentage = null, phase = null, checkpoint = null } = this.#last ?? {};
    const nothing = { text: '', remainingSeconds: null };
    const receiver = { isForSender: true, senderTask: ordered.order.taskId };
    this.#announce({ percentage, phase, checkpoint, ...nothing, ...receiver, isBeat: true });
  }
}
