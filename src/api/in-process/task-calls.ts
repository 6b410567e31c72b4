import { OPERATOR } from '../../domain/decisions/decide-sender.ts';
import { isRefusal } from '../../domain/refusal.ts';
import type { Task, TaskName } from '../../domain/task.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { dependTask } from '../../operations/depend-task.ts';
import { editTask } from '../../operations/edit-task.ts';
import { moveTask } from '../../operations/move-task.ts';
import { retryTask } from '../../operations/retry-task.ts';
import type { NodeClient, TaskChange } from '../contract.ts';
import { viewTask } from '../views.ts';
import { namesOf } from './names-of.ts';
import { type Submission, submit } from './submit.ts';

type CallOptions = NonNullable<Parameters<NodeClient['retryTask']>[1]>;
type TaskAnswer = ReturnType<NodeClient['moveTask']>;
type About<Facts> = Submission<Facts & { readonly taskId: TaskName }, { readonly task: Task }>;

/** What a person does to a task that is there. */
export class TaskCalls {
  readonly #ledger: Ledger;
  readonly #finishSettled: () => Promise<void>;

  constructor(ledger: Ledger, finishSettled: () => Promise<void>) {
    this.#ledger = ledger;
    this.#finishSettled = finishSettled;
  }

  async move(...[reference, to, options = {}]: Parameters<NodeClient['moveTask']>) {
    const reason = options.reason ?? null;
    const moved = await this.#change(
      reference,
      (taskId) => ({ command: moveTask, facts: { taskId, to, actor: OPERATOR, reason } }),
      options,
    );
    if (!isRefusal(moved)) await this.#finishSettled();
    return moved;
  }

  async edit(reference: string, { reason = null, ...change }: TaskChange, options: CallOptions = {}) {
    return await this.#change(
      reference,
      (taskId) => ({ command: editTask, facts: { taskId, change, actor: OPERATOR, reason } }),
      options,
    );
  }

  async retry(reference: string, options: CallOptions = {}) {
    return await this.#change(
      reference,
      (taskId) => ({ command: retryTask, facts: { taskId, actor: OPERATOR } }),
      options,
    );
  }

  async depend(reference: string, on: readonly string[], options: CallOptions = {}) {
    const names = namesOf(this.#ledger.read, on);
    if (isRefusal(names)) return names;
    return await this.#change(
      reference,
      (taskId) => ({ command: dependTask, facts: { taskId, on: names, actor: OPERATOR } }),
      options,
    );
  }

  async #change<Facts>(reference: string, about: (taskId: TaskName) => About<Facts>, options: CallOptions): TaskAnswer {
    const names = namesOf(this.#ledger.read, [reference]);
    if (isRefusal(names)) return names;
    const answer = await submit(this.#ledger, about(names[0] as TaskName), options);
    return isRefusal(answer) ? answer : viewTask(answer.task);
  }
}
