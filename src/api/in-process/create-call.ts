import { OPERATOR } from '../../domain/decisions/decide-sender.ts';
import { isRefusal } from '../../domain/refusal.ts';
import type { TaskName } from '../../domain/task.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { createTask, type NewTask } from '../../operations/create-task.ts';
import { findTask, nameTasks } from '../../operations/find-task.ts';
import type { Calls, RequestOf } from '../node-client.ts';
import { viewTask } from '../views.ts';
import { submit } from './submit.ts';

/** Creates a task for the operator. */
export function createByHand(ledger: Ledger): Calls['createTask'] {
  return async (request, options) => {
    const dependsOn = nameTasks(ledger.read, request.dependsOn ?? []);
    if (isRefusal(dependsOn)) return dependsOn;
    const parent = request.parent ? findTask(ledger.read, request.parent) : null;
    if (isRefusal(parent)) return parent;
    const facts = newTask(request, dependsOn, parent?.id ?? null);
    const answer = await submit(ledger, { command: createTask, facts }, options);
    return isRefusal(answer) ? answer : viewTask(answer.task);
  };
}

function newTask(request: RequestOf<'createTask'>, dependsOn: readonly TaskName[], parentId: TaskName | null): NewTask {
  return {
    title: request.title,
    body: request.body ?? '',
    priority: request.priority ?? 'normal',
    agent: request.agent ?? null,
    role: request.role ?? null,
    team: request.team ?? null,
    tags: request.tags ?? [],
    resource: request.resource ?? null,
    parentId,
    dependsOn: [...new Set(dependsOn)],
    metadata: {
      ...(request.reviewRequired !== undefined && { reviewRequired: request.reviewRequired }),
      ...(request.checks && request.checks.length > 0 && { checks: request.checks }),
    },
    createdBy: OPERATOR,
  };
}
