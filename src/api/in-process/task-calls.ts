import { OPERATOR } from '../../domain/decisions/decide-sender.ts';
import { isRefusal } from '../../domain/refusal.ts';
import type { TaskName } from '../../domain/task.ts';
import { isTakenBack } from '../../domain/work-state.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { dependTask } from '../../operations/depend-task.ts';
import { editTask } from '../../operations/edit-task.ts';
import { findTask, nameTasks } from '../../operations/find-task.ts';
import { moveTask, retryTask } from '../../operations/move-task.ts';
import type { Calls } from '../node-client.ts';
import { createByHand } from './create-call.ts';
import { changeTask } from './submit.ts';

export interface TaskCallParts {
  readonly ledger: Ledger;
  readonly orders: Pick<Calls, 'continueTask'>;
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
    retryTask: async ({ task }, options) => {
      const found = findTask(ledger.read, task);
      if (isRefusal(found)) return found;
      if (found.status !== 'done' || !isTakenBack(found.work))
        return await change(
          found.id,
          (taskId) => ({ command: retryTask, facts: { taskId, actor: OPERATOR } }),
          options,
        );
      // aof:continue: done is final, so a new task goes on.
      const taken = await parts.orders.continueTask({ task: found.id }, options);
      return isRefusal(taken) ? taken : taken.task;
    },
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
