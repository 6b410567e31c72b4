import { isAgentName } from '../../domain/agent/agent.ts';
import { type Refusal, refuse } from '../../domain/refusal.ts';
import type { Priority, Task, TaskName } from '../../domain/task/task.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import { openDependencies } from '../../ledger/statements/dependencies.ts';
import { insertEvent } from '../../ledger/statements/events.ts';
import { hasOpenOrder, selectOrder } from '../../ledger/statements/orders.ts';
import { selectTask, updateTaskFields } from '../../ledger/statements/tasks.ts';
import type { Tx } from '../../ledger/tx.ts';
import { refuseLabels, refuseOtherAgent, refuseReason, refuseTitleAndBody } from './refuse-task-text.ts';
import type { TaskChange } from './transition.ts';

interface EditRequest {
  readonly taskId: TaskName;
  readonly actor: string;
  readonly reason: string | null;
  /** The fields to change. */
  readonly change: Partial<{
    readonly title: string;
    readonly body: string;
    readonly priority: Priority;
    readonly agent: string | null;
    readonly role: string | null;
    readonly tags: readonly string[];
    readonly resource: string | null;
    readonly reviewRequired: boolean;
    readonly checks: readonly string[];
  }>;
}

/** Edits the fields of a task. An edit that changes nothing writes no event. */
export const editTask: Command<EditRequest, TaskChange> = (tx, { taskId, actor, reason, change }) => {
  const task = selectTask(tx, taskId);
  if (!task) return refuse('task_not_found', `there is no task ${taskId}`);
  const edited = withChange(task, change);
  const refusal = refuseReason(reason) ?? refuseEdit(edited) ?? refuseOtherAgent(tx, task, edited.routing.agent);
  if (refusal) return refusal;
  const fields = changedFields(task, edited);
  if (fields.length === 0) return { task, events: [] };
  const kept: Task = { ...edited, revision: task.revision + 1, updatedAt: tx.moment.now.wallMs };
  updateTaskFields(tx, kept, openDependencies(tx, task.id));
  const payload = { fields, reason, ...priorityChange(tx, task, kept) };
  const event = insertEvent(tx, { type: 'task.edited', actor, taskId: task.id, payload });
  return { task: kept, events: [event] };
};

/** With the sender's name for its open order: the sender is notified of the new priority (AOP §8). */
function priorityChange(tx: Tx, from: Task, to: Task): object {
  if (from.priority === to.priority) return {};
  const change = { oldPriority: from.priority, newPriority: to.priority };
  const order = hasOpenOrder(tx, to.id) ? selectOrder(tx, to.id) : null;
  return order ? { ...change, senderTask: order.senderTaskId } : change;
}

function withChange(task: Task, change: EditRequest['change']): Task {
  const { agent, role, tags } = change;
  const { reviewRequired, checks } = change;
  return {
    ...task,
    title: change.title?.trim() ?? task.title,
    body: change.body ?? task.body,
    priority: change.priority ?? task.priority,
    resource: change.resource === undefined ? task.resource : change.resource,
    routing: {
      ...task.routing,
      agent: agent === undefined ? task.routing.agent : agent,
      role: role === undefined ? task.routing.role : role,
      tags: tags ?? task.routing.tags,
    },
    metadata: {
      ...task.metadata,
      ...(reviewRequired !== undefined && { reviewRequired }),
      ...(checks !== undefined && { checks }),
    },
  };
}

function refuseEdit(task: Task): Refusal | null {
  const { agent } = task.routing;
  if (agent !== null && !isAgentName(agent)) {
    return refuse('invalid_argument', `${JSON.stringify(agent)} is not a valid agent name`, '/agent');
  }
  return refuseTitleAndBody(task.title, task.body) ?? refuseLabels({ ...task.routing, resource: task.resource });
}

function changedFields(before: Task, after: Task): string[] {
  const fields = ['title', 'body', 'priority', 'resource', 'routing', 'metadata'] as const;
  return fields.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
}
