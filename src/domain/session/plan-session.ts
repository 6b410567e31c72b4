import { isOverBudget } from '../order/budget.ts';
import type { Session } from './session.ts';
import type { SessionStop } from './session-terms.ts';

/** A session and what its tasks have come to. */
export interface SessionFindings {
  readonly session: Session;
  /** Orders of the session that are not reported yet. */
  readonly openOrders: number;
  /** By ended runs, and by running ones so far. */
  readonly costUsd: number;
  /** The awake time of the data folder. */
  readonly awakeMs: number;
}

/**
 * The next action for a session. Its tasks start by themselves once nothing holds them up, and a failed one skips those that wait
 * for it in the commit that settles it: neither is a step.
 */
export type SessionStep =
  /** Ends running tasks and aborts waiting ones. */
  { readonly kind: 'stop'; readonly stop: SessionStop } | { readonly kind: 'report' } | { readonly kind: 'rest' };

const BATON = 'dispatcher';

/** Returns the next step of a session for the facts so far. */
export function planSession({ session, openOrders, costUsd, awakeMs }: SessionFindings): SessionStep {
  if (session.report !== null) return { kind: 'rest' };
  if (openOrders === 0) return { kind: 'report' };
  if (session.stop !== null) return { kind: 'rest' };
  const { costUsdMax, awakeSecondsMax } = session.terms;
  if (isOverBudget({ costUsdMax, tokensMax: null }, { costUsd, tokens: 0 })) {
    const message = `the session has cost $${costUsd.toFixed(2)}, and its cap is $${costUsdMax}`;
    return { kind: 'stop', stop: { cause: 'budget', by: BATON, message } };
  }
  if (awakeSecondsMax !== null && awakeMs - session.awakeSinceMs >= awakeSecondsMax * 1_000) {
    const message = `the session has taken ${awakeSecondsMax} s, which is its time limit`;
    return { kind: 'stop', stop: { cause: 'deadline', by: BATON, message } };
  }
  return { kind: 'rest' };
}
