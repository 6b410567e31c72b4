import { OPERATOR } from '../../domain/decisions/decide-sender.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import type { Task, TaskName } from '../../domain/task.ts';
import type { TaskStatus } from '../../domain/task-lifecycle.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { createTask, type NewTask } from '../../operations/create-task.ts';
import { dependTask } from '../../operations/depend-task.ts';
import { editTask } from '../../operations/edit-task.ts';
import { findTask } from '../../operations/find-task.ts';
import { moveTask } from '../../operations/move-task.ts';
import { retryTask } from '../../operations/retry-task.ts';
import type { CallOptions, NewTaskRequest, TaskChange, TaskView } from '../contract.ts';
import { viewTask } from '../views.ts';

type Changed = { readonly task: Task };

/** What a person does to tasks. */
export class TaskCalls {
  readonly #ledger: Ledger;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  async create(request: NewTaskRequest, options: CallOptions = {}): Promise<TaskView | Refusal> {
    const dependsOn = this.#names(request.dependsOn ?? []);
    if (isRefusal(dependsOn)) return dependsOn;
    const parent = request.parent ? findTask(this.#ledger.read, request.parent) : null;
    if (isRefusal(parent)) return parent;
    return await this.#change(createTask, newTask(request, dependsOn, parent?.id ?? null), options);
  }

  async move(reference: string, to: TaskStatus, options: CallOptions & { readonly reason?: string } = {}) {
    const reason = options.reason ?? null;
    return await this.#about(reference, moveTask, { to, actor: OPERATOR, reason }, options);
  }

  async edit(reference: string, { reason = null, ...change }: TaskChange, options: CallOptions = {}) {
    return await this.#about(reference, editTask, { change, actor: OPERATOR, reason }, options);
  }

  async retry(reference: string, options: CallOptions = {}) {
    return await this.#about(reference, retryTask, { actor: OPERATOR }, options);
  }

  async depend(reference: string, on: readonly string[], options: CallOptions = {}) {
    const names = this.#names(on);
    if (isRefusal(names)) return names;
    return await this.#about(reference, dependTask, { on: names, actor: OPERATOR }, options);
  }

  async #about<Facts>(
    ...[reference, command, facts, options]: [
      string,
      Command<Facts & { readonly taskId: TaskName }, Changed>,
      Facts,
      CallOptions,
    ]
  ): Promise<TaskView | Refusal> {
    const task = findTask(this.#ledger.read, reference);
    if (isRefusal(task)) return task;
    return await this.#change(command, { taskId: task.id, ...facts }, options);
  }

  async #change<Facts>(
    command: Command<Facts, Changed>,
    facts: Facts,
    { key }: CallOptions,
  ): Promise<TaskView | Refusal> {
    const answer = await (key === undefined
      ? this.#ledger.submit(command, facts)
      : this.#ledger.submitOnce(key, command, facts));
    return isRefusal(answer) ? answer : viewTask(answer.task);
  }

  #names(references: readonly string[]): readonly TaskName[] | Refusal {
    const names: TaskName[] = [];
    for (const reference of references) {
      const task = findTask(this.#ledger.read, reference);
      if (isRefusal(task)) return task;
      names.push(task.id);
    }
    return names;
  }
}

function newTask(request: NewTaskRequest, dependsOn: readonly TaskName[], parentId: TaskName | null): NewTask {
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
