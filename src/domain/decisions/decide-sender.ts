import type { Task } from '../task.ts';

/** The actor that may do everything a person may. */
export const OPERATOR = 'operator';
/** The actor of what a person did with an editor, in the tree (aof:hand-edits). */
export const FILESYSTEM = 'filesystem';
/** The actor of what Baton does by itself. */
export const DISPATCHER = 'dispatcher';

export interface SenderFacts {
  readonly fromAgent: string;
  /** The run the channel carries: a pipe, a token, --run. Null where it carries none. */
  readonly channelRun: string | null;
  /** The agent that holds the task now; null where no run is live. */
  readonly holder: string | null;
}

export type SenderDecision =
  | { readonly kind: 'heard' }
  | { readonly kind: 'rejected'; readonly reason: 'stale_run' | 'unauthorized_agent' };

/** aof:senders: may this sender speak of this task? A task of nobody hears everybody. */
export function decideSender(task: Task, facts: SenderFacts): SenderDecision {
  if (facts.channelRun !== null && facts.channelRun !== task.runId) return { kind: 'rejected', reason: 'stale_run' };
  if (facts.fromAgent === OPERATOR) return { kind: 'heard' };
  const owner = facts.holder !== null && facts.holder !== OPERATOR ? facts.holder : task.routing.agent;
  if (owner === null || owner === facts.fromAgent) return { kind: 'heard' };
  return { kind: 'rejected', reason: 'unauthorized_agent' };
}
