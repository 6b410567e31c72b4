import type { ModelSpend } from '../../api/overview/overview-contract.ts';
import type { LedgerEvent } from '../../domain/trace/ledger-event.ts';
import { lastSeq, lastSeqBefore, selectEventsOfTypes } from '../../ledger/statements/events.ts';
import { selectRun } from '../../ledger/statements/runs.ts';
import type { Reader } from '../../ledger/tx.ts';
import { type Clock, startOfDay } from '../../platform/clock.ts';
import { inSlices } from '../../platform/timer.ts';

const TYPES = ['run.session_opened', 'run.exited', 'order.reported', 'order.requeued', 'work.continued'] as const;
/** The ledger is read in parts of this many events, so that no other call waits for long. */
const EVENTS_PER_PART = 20_000;

/** The spend and the finished tasks of today. It reads each event once: a call costs what happened since the last one. */
export class DayRecord {
  readonly #read: Reader;
  readonly #clock: Clock;
  #sinceMs = Number.NEGATIVE_INFINITY;
  #cursor = 0;
  readonly #spend = new Map<string, ModelSpend>();
  /** The model that the vendor named for a run. */
  readonly #models = new Map<string, string>();
  /** Tasks whose last order was reported today, by the event; the newest last. */
  readonly #finished = new Map<string, number>();
  #updating: Promise<void> | null = null;

  constructor(read: Reader, clock: Clock) {
    this.#read = read;
    this.#clock = clock;
  }

  get sinceMs(): number {
    return this.#sinceMs;
  }

  /** The newest event that it has read. */
  get lastEvent(): number {
    return this.#cursor;
  }

  /** Dearest first. */
  get spend(): readonly ModelSpend[] {
    return [...this.#spend.values()].sort((one, other) => other.usd - one.usd || other.runs - one.runs);
  }

  /** Newest first. */
  get finished(): readonly string[] {
    return [...this.#finished.keys()].reverse();
  }

  /** Reads what happened since the last time; callers that come meanwhile wait for the same. */
  update(): Promise<void> {
    this.#updating ??= this.#catchUp().finally(() => {
      this.#updating = null;
    });
    return this.#updating;
  }

  async #catchUp(): Promise<void> {
    const sinceMs = startOfDay(this.#clock.now().wallMs);
    if (sinceMs !== this.#sinceMs) this.#beginDay(sinceMs);
    const breathe = inSlices();
    for (let end = lastSeq(this.#read); this.#cursor < end; end = lastSeq(this.#read)) {
      const upTo = Math.min(end, this.#cursor + EVENTS_PER_PART);
      for (const event of selectEventsOfTypes(this.#read, TYPES, { after: this.#cursor, upTo })) this.#take(event);
      this.#cursor = upTo;
      await breathe();
    }
  }

  #beginDay(sinceMs: number): void {
    this.#sinceMs = sinceMs;
    this.#cursor = lastSeqBefore(this.#read, sinceMs);
    for (const map of [this.#spend, this.#models, this.#finished]) map.clear();
  }

  #take({ type, seq, taskId, runId, payload }: LedgerEvent): void {
    switch (type) {
      case 'run.session_opened':
        if (runId !== null && typeof payload.model === 'string') this.#models.set(runId, payload.model);
        return;
      case 'run.exited':
        if (runId !== null) this.#count(runId, payload.spend);
        return;
      case 'order.reported':
        if (taskId === null) return;
        this.#finished.delete(taskId);
        this.#finished.set(taskId, seq);
        return;
      default:
        // Another round begins, or another task has the work.
        if (taskId !== null) this.#finished.delete(taskId);
    }
  }

  #count(runId: string, given: unknown): void {
    const { costUsd = 0, tokensInput = 0, tokensOutput = 0 } = (given ?? {}) as ExitedSpend;
    const agent = selectRun(this.#read, runId)?.agent ?? '';
    const model = this.#models.get(runId) ?? '';
    this.#models.delete(runId);
    const key = JSON.stringify([agent, model]);
    const before = this.#spend.get(key) ?? { agent, model, usd: 0, tokensInput: 0, tokensOutput: 0, runs: 0 };
    this.#spend.set(key, {
      ...before,
      usd: before.usd + costUsd,
      tokensInput: before.tokensInput + tokensInput,
      tokensOutput: before.tokensOutput + tokensOutput,
      runs: before.runs + 1,
    });
  }
}

interface ExitedSpend {
  readonly costUsd?: number;
  readonly tokensInput?: number;
  readonly tokensOutput?: number;
}
