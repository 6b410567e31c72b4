import { OPERATOR } from '../../domain/decisions/decide-sender.ts';
import { isRefusal } from '../../domain/refusal.ts';
import type { TaskName } from '../../domain/task.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { createTask, type NewTask } from '../../operations/create-task.ts';
import { dependTask } from '../../operations/depend-task.ts';
import { editTask } from '../../operations/edit-task.ts';
import { findTask, nameTasks } from '../../operations/find-task.ts';
import { moveTask, retryTask } from '../../operations/move-task.ts';
import type { Calls, RequestOf } from '../node-client.ts';
import { viewTask } from '../views.ts';
import { changeTask, submit } from './submit.ts';

export interface TaskCallParts {
  readonly ledger: Ledger;
  /** Called after a move that may have ended the run of a task. */
  reportSettled(): Promise<void>;
}

type TaskCalls = Pick<Calls, 'createTask' | 'moveTask' | 'cancelTask' | 'editTask' | 'retryTask' | 'dependTask'>;

export function taskCalls(parts: TaskCallParts): TaskCalls {
  const { ledger } = parts;
  const change = changeTask(ledger);
  const move: Calls['moveTask'] = async ({ task, to, reason = null }, options) => {
    const about = (taskId: TaskName) => ({ command: moveTask, facts: { taskId, to, actor: OPERATOR, reason } });
    const moved = await change(task, about, options);
    if (!isRefusal(moved)) await parts.reportSettled();
    return moved;
  };
  return {
    createTask: createByHand(ledger),
    moveTask: move,
    cancelTask: (request, options) => move({ ...request, to: 'cancelled' }, options),
    editTask: ({ task, reason = null, ...fields }, options) =>
      change(
        task,
        (taskId) => ({ command: editTask, facts: { taskId, change: fields, actor: OPERATOR, reason } }),
        options,
      ),
    retryTask: ({ task }, options) =>
      change(task, (taskId) => ({ command: retryTask, facts: { taskId, actor: OPERATOR } }), options),
    dependTask: async ({ task, on }, options) => {
      const names = nameTasks(ledger.read, on);
      if (isRefusal(names)) return names;
      return await change(
        task,
        (taskId) => ({ command: dependTask, facts: { taskId, on: names, actor: OPERATOR } }),
        options,
      );
    },
  };
}

/** Creates a task for the operator. */
function createByHand(ledger: Ledger): Calls['createTask'] {
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
    metadata: request.reviewRequired === undefined ? {} : { reviewRequired: request.reviewRequired },
    createdBy: OPERATOR,
  };
}
