import { type EndCause, type FinalAnswer, judgeExit } from '../../domain/decisions/judge-exit.ts';
import type { Claim, Fact } from '../../domain/execution/fact.ts';
import type { Order } from '../../domain/order.ts';
import { aopCodeOf } from '../../domain/refusal.ts';
import type { ResponseMessage } from '../../protocols/aop/schema/response.ts';
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

function answerOf({ response, malformed }: WatchEnd): FinalAnswer {
  if (malformed !== null) return { kind: 'malformed', message: malformed.message };
  if (response === null) return { kind: 'none' };
  const { execution_summary: summary } = response.message;
  return {
    kind: 'response',
    claim: claimOf(response.message, response.text),
    hasSummary: Boolean(summary?.summary?.trim()),
    hasActions: (summary?.actions ?? []).length > 0,
  };
}

function claimOf({ task_status: status, error_details: error }: ResponseMessage, text: string): Claim {
  return {
    signal: status.final_signal ?? null,
    code: aopCodeOf(error?.error_code ?? ''),
    message: error?.message ?? status.message ?? '',
    text,
  };
}
