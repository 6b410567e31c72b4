import { type Activity, activityOf, addSign, noSigns, type RunSigns, setAsked } from '../../domain/activity.ts';
import type { AgentSignal } from '../../domain/agent-signal.ts';
import type { Clock } from '../../platform/clock.ts';

export interface DatedActivity extends Pick<Activity, 'kind' | 'text'> {
  /** Milliseconds since 1970. */
  readonly since: number;
}

/** The activity of the runs that this node carries. In memory only: a line of an agent costs no write. */
export class RunActivities {
  readonly #clock: Clock;
  readonly #signs = new Map<string, RunSigns>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  begin(runId: string): void {
    this.#signs.set(runId, noSigns(this.#now()));
  }

  take(runId: string, signal: AgentSignal): void {
    this.#change(runId, (signs) => addSign(signs, signal, this.#now()));
  }

  setWaiting(runId: string, isWaiting: boolean): void {
    this.#change(runId, (signs) => setAsked(signs, isWaiting, this.#now()));
  }

  end(runId: string): void {
    this.#signs.delete(runId);
  }

  /** Null for a run whose agent does not run here. */
  of(runId: string): DatedActivity | null {
    const signs = this.#signs.get(runId);
    if (!signs) return null;
    const { wallMs, monotonicMs } = this.#clock.now();
    const { kind, text, ageMs } = activityOf(signs, monotonicMs);
    return { kind, text, since: wallMs - ageMs };
  }

  #change(runId: string, change: (signs: RunSigns) => RunSigns): void {
    const signs = this.#signs.get(runId);
    if (signs) this.#signs.set(runId, change(signs));
  }

  #now(): number {
    return this.#clock.now().monotonicMs;
  }
}
