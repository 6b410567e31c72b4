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
  const { exit, spend, warnings, progress, summary } = seen;
  const cause = causeOf(seen, limits, stop);
  const end = judgeExit({ exit, answer: answerOf(seen), cause, rails: limits.policy });
  return { end, spend, warnings, progress, ...(summary === null ? {} : { summary }) };
}

function causeOf(seen: WatchEnd, { policy, budget }: RunLimits, stop: AbortSignal): EndCause | null {
  const { cause, spend, failure } = seen;
  switch (cause) {
    case null:
    case 'failure':
    case 'unavailable':
    case 'linger':
      return failure && { kind: 'failure', code: failure.code, message: failure.message };
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
  if (malformed !== null) {
    const { message, isTooLarge = false } = malformed;
    return { kind: 'malformed', message, isTooLarge };
  }
  return claim === null ? { kind: 'none' } : { kind: 'claim', claim };
}
