import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import type { Task, TaskName } from '../../domain/task.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { nameTask } from '../../operations/find-task.ts';
import type { CallOptions, TaskView } from '../task-view.ts';
import { viewTask } from '../views.ts';

interface Submission<Facts, Result> {
  readonly command: Command<Facts, Result>;
  readonly facts: Facts;
}

/** Runs a command; with a key, the same request sent again gets the first answer. */
export function submit<Facts, Result>(
  ledger: Ledger,
  { command, facts }: Submission<Facts, Result>,
  { key }: CallOptions = {},
): Promise<Result | Refusal> {
  return key === undefined ? ledger.submit(command, facts) : ledger.submitOnce(key, command, facts);
}

type ChangeOf<Facts> = (taskId: TaskName) => Submission<Facts & { readonly taskId: TaskName }, { readonly task: Task }>;

/** Finds the task that a reference means, changes it, and answers with the changed task. */
export function changeTask(ledger: Ledger) {
  return async <Facts>(
    reference: string,
    change: ChangeOf<Facts>,
    options: CallOptions = {},
  ): Promise<TaskView | Refusal> => {
    const taskId = nameTask(ledger.read, reference);
    if (isRefusal(taskId)) return taskId;
    const answer = await submit(ledger, change(taskId), options);
    return isRefusal(answer) ? answer : viewTask(answer.task);
  };
}
