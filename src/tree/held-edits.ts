import type { TaskName } from '../domain/task/task.ts';

/** Tasks that the mirror does not write yet, because an edited file has to be judged first. */
export class HeldEdits {
  /** False: nobody judges, and edited files are set aside unread. */
  readonly isJudged: boolean;
  readonly #tasks = new Set<TaskName>();
  #next = Promise.withResolvers<void>();

  constructor(isJudged: boolean) {
    this.isJudged = isJudged;
  }

  get tasks(): ReadonlySet<TaskName> {
    return this.#tasks;
  }

  /** Resolves when another task is held. */
  next(): Promise<void> {
    return this.#next.promise;
  }

  hold(task: TaskName): void {
    this.#tasks.add(task);
    this.#next.resolve();
    this.#next = Promise.withResolvers();
  }

  release(tasks: readonly TaskName[]): void {
    for (const task of tasks) this.#tasks.delete(task);
  }
}
