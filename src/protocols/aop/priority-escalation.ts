import type { Priority } from '../../domain/task.ts';
import type { PriorityEscalationEvent } from './schema/events.ts';

export interface Escalated {
  /** As the sender of the TASK names them. */
  readonly sessionId: string;
  readonly taskId: string;
  readonly from: Priority;
  readonly to: Priority;
  readonly reason: string | null;
  /** Who was authenticated. */
  readonly by: string;
  readonly atMs: number;
}

/** AOP §8: a task has another place in the queue, and who gave it to it. */
export function priorityEscalation(escalated: Escalated): PriorityEscalationEvent {
  const { sessionId, taskId, from, to, reason, by, atMs } = escalated;
  return {
    aop_version: '2.0.2-C',
    message_type: 'EVENT',
    event: 'PRIORITY_ESCALATION',
    session_id: sessionId,
    task_id: taskId,
    timestamp: new Date(atMs).toISOString(),
    old_priority: wordOf(from),
    new_priority: wordOf(to),
    ...(reason !== null && { reason }),
    escalated_by: by,
  };
}

function wordOf(priority: Priority): NonNullable<PriorityEscalationEvent['old_priority']> {
  return priority.toUpperCase() as Uppercase<Priority>;
}
