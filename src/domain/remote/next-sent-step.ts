import { type Execution, stoppedOutcome } from '../execution/execution.ts';
import type { Outcome } from '../execution/fact.ts';
import { isAccepted } from '../order/work-verdict.ts';
import { judgeResult } from './judge-result.ts';
import type { ReceiverAnswer } from './receiver-answer.ts';
import { holdersOf, type SentState } from './sent-fact.ts';

/** The next action for an order that another node runs. */
export type SentStep =
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

export function nextSentStep(execution: Execution, remote: SentState): SentStep {
  const { outcome, reported, stopRequestedBy, stopReason } = execution;
  const { sent, answered, brought, recalled } = remote;
  const isOut = holdersOf(remote).length > 0 && answered === null;
  if (outcome !== null) {
    if (reported !== null) return { kind: 'rest' };
    // Whoever took the task over here does not want it from there any more.
    return isOut && recalled === null ? { kind: 'recall', reason: outcome.message } : { kind: 'report' };
  }
  if (answered !== null) {
    const { failureClass, parcel } = answered.answer;
    if (brought === null && (failureClass === null || parcel !== null)) return { kind: 'bring' };
    const isStopped = stopRequestedBy !== null && failureClass !== null;
    return { kind: 'settle', outcome: isStopped ? recalledOutcome(execution) : outcomeOf(execution, answered.answer) };
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
  return stopped.code === 'timeout' ? { ...stopped, verdict: 'failed' } : stopped;
}

/** Work that breaks a contract is partly done at best, and work whose files cannot be brought here is not done. */
function outcomeOf(execution: Execution, answer: ReceiverAnswer): Outcome {
  const { violations = [], problem = null } = execution.remote?.brought ?? {};
  const found = foundOutcome(execution, answer);
  if (!isAccepted(found.verdict)) return found;
  if (problem !== null) return { verdict: 'failed', code: 'unknown', message: problem, attempts: [] };
  if (violations.length === 0) return found;
  return { verdict: 'partial', code: null, message: violations.join('; '), attempts: [] };
}

/** A node is believed that it failed; that its checks passed only by the findings that it signed and that came with the files. */
function foundOutcome(execution: Execution, answer: ReceiverAnswer): Outcome {
  const { verdict, code, message, failureClass } = answer;
  const isGivenUp = failureClass === 'failed_terminal';
  if (!isAccepted(verdict)) return { verdict, code, message, attempts: [], ...(isGivenUp && { isGivenUp }) };
  const { workplace } = execution.snapshotted ?? {};
  const elsewhere = workplace?.kind === 'worktree' ? workplace.elsewhere : undefined;
  if (!elsewhere) return { verdict: 'unchecked', code, message, attempts: [] };
  return judgeResult(execution, { ...elsewhere.outcome, attempts: [] });
}
