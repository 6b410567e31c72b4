import { type Allowance, type AllowanceRate, takeCall } from '../domain/external/allowance.ts';
import {
  CALLS_AT_ONCE_MAX,
  CALLS_PER_SECOND,
  COUNTED_CALLERS_MAX,
  INVITE_GUESSES_MAX,
  INVITE_GUESSES_MS,
  REFUSALS_AT_ONCE_MAX,
  REFUSALS_PER_SECOND,
} from '../domain/external/external-limits.ts';

const CALLS: AllowanceRate = { max: CALLS_AT_ONCE_MAX, perSecond: CALLS_PER_SECOND };
const REFUSALS: AllowanceRate = { max: REFUSALS_AT_ONCE_MAX, perSecond: REFUSALS_PER_SECOND };

/**
 * How often somebody calls, in memory: accepted calls by agent and refusals by address, so that nobody uses up what is
 * another's. Times are of the monotonic clock.
 */
export class CallRates {
  readonly #calls = new Map<string, Allowance>();
  readonly #refusals = new Map<string, Allowance>();
  /** Instants of wrong invites, oldest first. */
  readonly #guesses = new Map<string, readonly number[]>();

  /** Counts one call of an agent; returns the wait in milliseconds until the next is possible, 0 where this one is. */
  takeCall(agent: string, nowMs: number): number {
    return take(this.#calls, agent, { rate: CALLS, nowMs });
  }

  /** Counts one refusal; false where there were so many that they are counted together. */
  takeRefusal(address: string, nowMs: number): boolean {
    return take(this.#refusals, address, { rate: REFUSALS, nowMs }) === 0;
  }

  /** The wait until an address may try an invite again; 0 where it may now. */
  guessWaitMs(address: string, nowMs: number): number {
    const recent = this.#recentGuesses(address, nowMs);
    const [first = nowMs] = recent;
    return recent.length < INVITE_GUESSES_MAX ? 0 : first + INVITE_GUESSES_MS - nowMs;
  }

  /** Counts an invite that does not exist. */
  countGuess(address: string, nowMs: number): void {
    remember(this.#guesses, address, [...this.#recentGuesses(address, nowMs), nowMs].slice(-INVITE_GUESSES_MAX));
  }

  #recentGuesses(address: string, nowMs: number): readonly number[] {
    return (this.#guesses.get(address) ?? []).filter((at) => nowMs - at < INVITE_GUESSES_MS);
  }
}

interface RateNow {
  readonly rate: AllowanceRate;
  readonly nowMs: number;
}

function take(allowances: Map<string, Allowance>, who: string, { rate, nowMs }: RateNow): number {
  const { allowance, waitMs } = takeCall(allowances.get(who) ?? null, rate, nowMs);
  remember(allowances, who, allowance);
  return waitMs;
}

/** Most recent last; the one that was silent longest is forgotten. */
function remember<Value>(map: Map<string, Value>, who: string, value: Value): void {
  map.delete(who);
  map.set(who, value);
  const [first] = map.keys();
  if (map.size > COUNTED_CALLERS_MAX && first !== undefined) map.delete(first);
}
