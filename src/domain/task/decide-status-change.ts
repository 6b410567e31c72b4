import { canMove, type TaskStatus } from './task-lifecycle.ts';

/** The sender of a message that asks for another status, and its part in the task. */
export interface StatusAsker {
  /** Null for an operator, who may make every legal move. */
  readonly agent: string | null;
  /** An order of Baton is open on the task. */
  readonly isOrdered: boolean;
  /** A run of the task was this agent's. */
  readonly hasWorked: boolean;
  /** It handed the task down to another agent. */
  readonly isDelegator?: boolean;
}

export type StatusDecision =
  | { readonly kind: 'move' }
  /** The task has this status already, or the table of transitions has no such move. */
  | { readonly kind: 'not-legal' }
  /** The move is not for this sender to make: the message is evidence (aof:self-approval). */
  | { readonly kind: 'not-theirs'; readonly why: string };

/** aof:self-approval: whether the status that a sender asks for is applied to its task. */
export function decideStatusChange(from: TaskStatus, to: TaskStatus, asker: StatusAsker): StatusDecision {
  if (from === to) return { kind: 'not-legal' };
  const refusal = asker.agent === null ? null : refuseAgent(to, asker.agent, asker);
  return refusal ?? { kind: canMove(from, to) ? 'move' : 'not-legal' };
}

function refuseAgent(to: TaskStatus, agent: string, asker: StatusAsker): StatusDecision | null {
  if (asker.isOrdered) return notTheirs('Baton runs the task and moves it by its own checks');
  if (asker.isDelegator) return notTheirs('the agent that it was handed to moves it');
  if (to === 'cancelled') return notTheirs('only an operator cancels a task');
  if (to === 'done' && asker.hasWorked) return notTheirs(`${agent} worked on the task and cannot approve it`);
  return null;
}

function notTheirs(why: string): StatusDecision {
  return { kind: 'not-theirs', why };
}
