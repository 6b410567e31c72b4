import { type Execution, stoppedOutcome } from '../execution/execution.ts';
import type { Outcome } from '../execution/fact.ts';
import type { RemoteAnswer } from '../execution/remote-answer.ts';
import { holdersOf, type RemoteState } from '../execution/remote-fact.ts';

/** The next action for an order that another node runs. */
export type RemoteStep =
  | { readonly kind: 'send' }
  /** Another node has it. */
  | { readonly kind: 'await' }
  /** The nodes that have it are told to stop. */
  | { readonly kind: 'recall'; readonly reason: string }
  /** The result of the other node is looked at and brought here. */
  | { readonly kind: 'bring' }
  | { readonly kind: 'settle'; readonly outcome: Outcome }
  | { readonly kind: 'report' }
  | { readonly kind: 'rest' };

export function nextRemoteStep(execution: Execution, remote: RemoteState): RemoteStep {
  const { outcome, reported, stopRequestedBy, stopReason } = execution;
  const { sent, answered, brought, recalled } = remote;
  const isOut = holdersOf(remote).length > 0 && answered === null;
  if (outcome !== null) {
    if (reported !== null) return { kind: 'rest' };
    // Whoever took the task over here does not want it from there any more.
    return isOut && recalled === null ? { kind: 'recall', reason: outcome.message } : { kind: 'report' };
  }
  if (answered !== null) {
    if (answered.answer.failureClass === null && brought === null) return { kind: 'bring' };
    const isStopped = stopRequestedBy !== null && answered.answer.failureClass !== null;
    return {
      kind: 'settle',
      outcome: isStopped ? recalledOutcome(execution) : outcomeOfAnswer(answered.answer, remote),
    };
  }
  if (stopRequestedBy !== null) {
    if (!isOut) return { kind: 'settle', outcome: recalledOutcome(execution) };
    const reason = stopReason?.message ?? `stopped by ${stopRequestedBy}`;
    return recalled === null ? { kind: 'recall', reason } : { kind: 'await' };
  }
  return { kind: sent === null ? 'send' : 'await' };
}

/** The outcome of an order that was called back: it failed where its time was over. */
export function recalledOutcome(execution: Pick<Execution, 'stopRequestedBy' | 'stopReason'>): Outcome {
  const stopped = stoppedOutcome(execution);
  return stopped.code === 'E_TIMEOUT' ? { ...stopped, verdict: 'failed' } : stopped;
}

/** The verdict of the other node. Work that breaks a contract, or whose files did not come, is not done. */
function outcomeOfAnswer(answer: RemoteAnswer, { brought }: Pick<RemoteState, 'brought'>): Outcome {
  const { verdict, code, message } = answer;
  const wrong = [...(brought?.violations ?? []), ...(brought?.problem ? [brought.problem] : [])];
  if (wrong.length === 0 || verdict === 'failed' || verdict === 'aborted') {
    const isGivenUp = answer.failureClass === 'failed_terminal';
    return { verdict, code, message, attempts: [], ...(isGivenUp && { isGivenUp }) };
  }
  if (brought?.problem) return { verdict: 'failed', code: 'E_UNKNOWN', message: brought.problem, attempts: [] };
  return { verdict: 'partial', code: null, message: wrong.join('; '), attempts: [] };
}
