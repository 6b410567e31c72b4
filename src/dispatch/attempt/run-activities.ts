import type { AgentSignal } from '../../domain/agent/agent-signal.ts';
import { maskValue } from '../../domain/secrets/mask-secrets.ts';
import { type Activity, activityOf, addSign, noSigns, type RunSigns, setAsked } from '../../domain/task/activity.ts';
import { addGlance, NOTHING_SEEN, type RunGlance, type WorkSize } from '../../domain/task/run-glance.ts';
import type { Clock } from '../../platform/clock.ts';

export interface DatedActivity extends Pick<Activity, 'kind' | 'text'> {
  /** Milliseconds since 1970. */
  readonly since: number;
}

/** The activity of the runs that this node carries. In memory only: a line of an agent costs no write. */
export class RunActivities {
  readonly #clock: Clock;
  readonly #signs = new Map<string, RunSigns>();
  readonly #glances = new Map<string, RunGlance>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  begin(runId: string): void {
    this.#signs.set(runId, noSigns(this.#now()));
  }

  take(runId: string, signal: AgentSignal): void {
    this.#change(runId, (signs) => addSign(signs, signal, this.#now()));
    if (this.#signs.has(runId)) this.#glances.set(runId, addGlance(this.#glances.get(runId) ?? NOTHING_SEEN, signal));
  }

  /** A turn changed files; the size is that of all that the run changed. */
  sized(runId: string, size: WorkSize): void {
    if (this.#signs.has(runId)) this.#glances.set(runId, { ...(this.#glances.get(runId) ?? NOTHING_SEEN), size });
  }

  setWaiting(runId: string, isWaiting: boolean): void {
    this.#change(runId, (signs) => setAsked(signs, isWaiting, this.#now()));
  }

  end(runId: string): void {
    this.#signs.delete(runId);
    this.#glances.delete(runId);
  }

  glanceAt(runId: string): RunGlance {
    const glance = this.#glances.get(runId);
    return glance === undefined ? NOTHING_SEEN : maskValue(glance);
  }

  /** Null for a run whose agent does not run here. */
  of(runId: string): DatedActivity | null {
    const signs = this.#signs.get(runId);
    if (!signs) return null;
    const { wallMs, monotonicMs } = this.#clock.now();
    const { kind, text, ageMs } = activityOf(signs, monotonicMs);
    return { kind, text: maskValue(text), since: wallMs - ageMs };
  }

  #change(runId: string, change: (signs: RunSigns) => RunSigns): void {
    const signs = this.#signs.get(runId);
    if (signs) this.#signs.set(runId, change(signs));
  }

  #now(): number {
    return this.#clock.now().monotonicMs;
  }
}
