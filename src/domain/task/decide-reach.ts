import { assertNever } from '../assert-never.ts';
import type { AgentMessage } from './agent-message.ts';
import type { RunHolder } from './channel.ts';

/** How the task that a message names relates to the run that sends the message. */
export type Reach =
  | 'own'
  /** The run's task handed it down. */
  | 'delegated'
  /** A child of the run's task that was not handed down yet. */
  | 'below'
  | 'other'
  | 'unknown';

/** The named task; null where there is none. */
export interface NamedTask {
  readonly id: string;
  readonly parentId: string | null;
  /** The task that handed it down. */
  readonly handedDownBy: string | null;
}

/** aof:self-approval: a channel speaks for the task of its run, and for what that task delegated. */
export function decideReach({ taskId }: Pick<RunHolder, 'taskId'>, named: NamedTask | null): Reach {
  if (named === null) return 'unknown';
  if (named.id === taskId) return 'own';
  if (named.handedDownBy === taskId) return 'delegated';
  return named.parentId === taskId && named.handedDownBy === null ? 'below' : 'other';
}

export type ReachRefusal = 'task_not_found' | 'unauthorized_agent';

/** Refuses a message about a run, such as a turn or a beat, unless it is about the run's own task. */
export function refuseAboutRun(reach: Reach): ReachRefusal | null {
  if (reach === 'own') return null;
  return reach === 'unknown' ? 'task_not_found' : 'unauthorized_agent';
}

/** Refuses a message about a task that the run of its channel may not send; null where it may. */
export function refuseAboutTask(message: AgentMessage, holder: RunHolder, reach: Reach): ReachRefusal | null {
  if (message.fromAgent !== holder.agent) return 'unauthorized_agent';
  if (reach === 'unknown') return 'task_not_found';
  switch (message.kind) {
    // A report belongs to a run, and only the run that holds a task reports for it.
    case 'completion':
      return refuseAboutRun(reach);
    case 'status':
    case 'handoff-answer':
      return reach === 'own' || reach === 'delegated' ? null : 'unauthorized_agent';
    case 'handoff': {
      const isBelow = reach !== 'other' && message.handoff.parentTaskId === holder.taskId;
      return isBelow && message.handoff.fromAgent === holder.agent ? null : 'unauthorized_agent';
    }
    default:
      return assertNever(message);
  }
}
