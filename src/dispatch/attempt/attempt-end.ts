import { assertNever } from '../../domain/assert-never.ts';
import { type EndCause, type FinalAnswer, judgeExit } from '../../domain/decisions/judge-exit.ts';
import type { EndedFact, RunLimits, StopReason } from './attempt.ts';
import type { WatchEnd } from './watch-process.ts';

export interface SeenEnd {
  readonly seen: WatchEnd;
  readonly limits: RunLimits;
  readonly stop: AbortSignal;
}

/** The judged end of a process that was watched until it was gone. */
export function judgeEnd({ seen, limits, stop }: SeenEnd): Omit<EndedFact, 'kind' | 'runId' | 'at'> {
  const { exit, spend, warnings, progress } = seen;
  const cause = causeOf(seen, limits, stop);
  const end = judgeExit({ exit, answer: answerOf(seen), cause, rails: limits.policy });
  return { end, spend, warnings, progress };
}

function causeOf({ cause, spend }: WatchEnd, { policy, budget }: RunLimits, stop: AbortSignal): EndCause | null {
  switch (cause) {
    case null:
      return null;
    case 'stop':
      return stop.reason as StopReason;
    case 'timeout':
      return { kind: 'timeout', seconds: policy.timeoutSeconds };
    case 'heartbeat':
      return { kind: 'silence', seconds: policy.heartbeat.intervalSeconds * policy.heartbeat.missedBeatsMax };
    case 'budget':
      return { kind: 'budget', message: overBudget(budget, spend) };
    default:
      return assertNever(cause);
  }
}

function overBudget({ costUsdMax, tokensMax }: RunLimits['budget'], { costUsd, tokens }: WatchEnd['spend']): string {
  const caps = [
    ...(costUsdMax === null ? [] : [`$${costUsdMax}`]),
    ...(tokensMax === null ? [] : [`${tokensMax} tokens`]),
  ];
  return `it went over its budget of ${caps.join(' and ')}; this run took $${costUsd} and ${tokens} tokens`;
}

function answerOf({ claim, malformed }: WatchEnd): FinalAnswer {
  if (malformed !== null) return { kind: 'malformed', message: malformed.message };
  return claim === null ? { kind: 'none' } : { kind: 'claim', claim };
}
