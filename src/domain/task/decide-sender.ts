import type { Task } from './task.ts';

/** The actor with all rights of a person. */
export const OPERATOR = 'operator';
/** The actor of edits in the tree (aof:hand-edits). */
export const FILESYSTEM = 'filesystem';
/** The actor of Baton's own changes. */
export const DISPATCHER = 'dispatcher';

export interface SenderFacts {
  readonly fromAgent: string;
  /** The run of the channel: by pipe, token or --run. Null if it has none. */
  readonly channelRun: string | null;
  /** The agent that holds the task now; null if no run is live. */
  readonly holder: string | null;
  /** The sender handed the task down: it is heard, and moves nothing. */
  readonly isDelegator?: boolean;
}

export type SenderDecision =
  | { readonly kind: 'heard' }
  | { readonly kind: 'rejected'; readonly reason: 'stale_run' | 'unauthorized_agent' };

/** aof:senders: whether this sender may report on this task. Anyone may report on an unassigned task. */
export function decideSender(task: Task, facts: SenderFacts): SenderDecision {
  if (facts.channelRun !== null && facts.channelRun !== task.runId) return { kind: 'rejected', reason: 'stale_run' };
  if (facts.fromAgent === OPERATOR || facts.isDelegator) return { kind: 'heard' };
  const owner = facts.holder !== null && facts.holder !== OPERATOR ? facts.holder : task.routing.agent;
  if (owner === null || owner === facts.fromAgent) return { kind: 'heard' };
  return { kind: 'rejected', reason: 'unauthorized_agent' };
}
