import type { Execution } from '../execution/execution.ts';
import type { Outcome } from '../execution/fact.ts';
import { PROCESSED_SLA_GRACE_SECONDS, RECALL_GRACE_MS } from '../federation/federation-limits.ts';
import { recalledOutcome } from './next-sent-step.ts';
import { holdersOf, type SentState } from './sent-fact.ts';

/** The news about an order that another node has, besides what that node tells. */
export interface ReceiverSight {
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** Nodes that are known to be dead or to have left; a node that cannot be looked up is not among them. */
  readonly deadNodes: ReadonlySet<string>;
  /** Recipients that have acknowledged its task_create as refused for good. */
  readonly refusedBy: readonly string[];
  /** Its task_create was given up: nobody acknowledged it. */
  readonly isGivenUp: boolean;
}

export type SentWait =
  | { readonly kind: 'wait' }
  /** Its deadline has passed: it is called back. */
  | { readonly kind: 'expire'; readonly message: string }
  /** Its estimate and the grace have passed; said once. */
  | { readonly kind: 'overdue'; readonly etaAt: number }
  /** Nobody who has it is there any more. */
  | { readonly kind: 'stray'; readonly nodes: readonly string[]; readonly reason: string }
  | { readonly kind: 'settle'; readonly outcome: Outcome };

/** Decides about an order that waits for another node. */
export function judgeSentWait(execution: Execution, remote: SentState, sight: ReceiverSight): SentWait {
  const { nowMs } = sight;
  const { recalled, taken, overdue } = remote;
  if (recalled !== null) {
    const isOver = nowMs - recalled.at >= RECALL_GRACE_MS || nowMs < recalled.at;
    return isOver ? { kind: 'settle', outcome: unconfirmed(execution, recalled.nodes) } : { kind: 'wait' };
  }
  const deadlineAt = execution.order.remote?.deadlineAt ?? null;
  if (deadlineAt !== null && deadlineAt <= nowMs) {
    return { kind: 'expire', message: `it was not done by ${new Date(deadlineAt).toISOString()}` };
  }
  const lost = whyLost(remote, sight);
  if (lost !== null) return lost;
  const lateAt = taken === null ? Number.POSITIVE_INFINITY : taken.etaAt + PROCESSED_SLA_GRACE_SECONDS * 1_000;
  if (taken !== null && overdue === null && lateAt <= nowMs) return { kind: 'overdue', etaAt: taken.etaAt };
  return { kind: 'wait' };
}

function unconfirmed(execution: Execution, nodes: readonly string[]): Outcome {
  const outcome = recalledOutcome(execution);
  return { ...outcome, message: `${outcome.message}; ${nodes.join(', ')} has not confirmed it` };
}

function whyLost(remote: SentState, { deadNodes, refusedBy, isGivenUp }: ReceiverSight): SentWait | null {
  const nodes = holdersOf(remote);
  if (nodes.length > 0 && nodes.every((node) => deadNodes.has(node))) {
    return { kind: 'stray', nodes, reason: `${nodes.join(', ')} is gone` };
  }
  if (remote.taken !== null) return null;
  const isRefused = refusedBy.length > 0 && refusedBy.length === remote.sent?.to.length;
  if (isRefused) {
    const message = `${refusedBy.join(', ')} refused the task`;
    return { kind: 'settle', outcome: { verdict: 'failed', code: 'agent-not-found', message, attempts: [] } };
  }
  if (!isGivenUp) return null;
  const message = `${nodes.join(', ')} did not answer`;
  return {
    kind: 'settle',
    outcome: { verdict: 'failed', code: 'unknown', message, attempts: [], isGivenUp: true },
  };
}
