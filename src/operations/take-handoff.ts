import type { Task, TaskName } from '../domain/task.ts';
import { openDependencies } from '../ledger/statements/dependencies.ts';
import { upsertHandoff } from '../ledger/statements/handoffs.ts';
import { updateTaskFields } from '../ledger/statements/tasks.ts';
import type { Tx } from '../ledger/tx.ts';
import type { HandoffRequest } from '../protocols/aof/schema/messages.ts';

interface Handing {
  readonly task: Task;
  readonly parent: Task;
  readonly depth: number;
}

/** The child as it is once it was handed down: it knows its parent, its agent and its depth. */
export function takeHandoff(tx: Tx, { payload }: HandoffRequest, { task, parent, depth }: Handing): Task {
  const { wallMs } = tx.moment.now;
  upsertHandoff(tx, {
    taskId: task.id,
    parentId: parent.id,
    fromAgent: payload.fromAgent,
    toAgent: payload.toAgent,
    request: JSON.stringify(payload),
    state: 'requested',
    at: wallMs,
  });
  const child: Task = {
    ...task,
    parentId: task.parentId ?? (payload.parentTaskId as TaskName),
    routing: { ...task.routing, agent: task.routing.agent ?? payload.toAgent },
    metadata: { ...task.metadata, delegationDepth: depth },
    revision: task.revision + 1,
    updatedAt: wallMs,
  };
  updateTaskFields(tx, child, openDependencies(tx, task.id));
  return child;
}
