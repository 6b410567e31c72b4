import { type EndCause, type FinalAnswer, judgeExit } from '../../domain/decisions/judge-exit.ts';
import type { Fact } from '../../domain/execution/fact.ts';
import type { Order } from '../../domain/order.ts';
import type { RunAtHand } from '../order-steps.ts';
import type { WatchEnd } from '../watch-run.ts';

export interface SeenEnd {
  readonly seen: WatchEnd;
  /** Why it was asked to end, where somebody asked. */
  readonly why: EndCause | null;
  readonly step: RunAtHand;
  readonly atMs: number;
}

/** What was seen of a run that is over, as the fact that follows from it. */
export function endedFact({ seen, why, step, atMs }: SeenEnd): Extract<Fact, { readonly kind: 'ended' }> {
  const { order } = step.execution;
  const end = judgeExit({
    exit: seen.exit,
    answer: answerOf(seen),
    cause: causeOf(seen, why, order),
    rails: order.policy,
  });
  const { spend, warnings, progress } = seen;
  return { kind: 'ended', runId: step.runId, end, spend, warnings, progress, at: atMs };
}

function causeOf({ cause, spend }: WatchEnd, why: EndCause | null, { policy, budget }: Order): EndCause | null {
  switch (cause) {
    case null:
      return null;
    case 'stop':
      return why;
    case 'timeout':
      return { kind: 'timeout', seconds: policy.timeoutSeconds };
    case 'heartbeat':
      return { kind: 'silence', seconds: policy.heartbeat.intervalSeconds * policy.heartbeat.missedBeatsMax };
    case 'budget': {
      const caps = [
        budget.costUsdMax === null ? [] : [`$${budget.costUsdMax}`],
        budget.tokensMax === null ? [] : [`${budget.tokensMax} tokens`],
      ].flat();
      return {
        kind: 'budget',
        message: `it went over its budget of ${caps.join(' and ')}; this run took $${spend.costUsd} and ${spend.tokens} tokens`,
      };
    }
  }
}

function answerOf({ claim, malformed }: WatchEnd): FinalAnswer {
  if (malformed !== null) return { kind: 'malformed', message: malformed.message };
  return claim === null ? { kind: 'none' } : { kind: 'claim', claim };
}
