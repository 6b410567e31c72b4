import { ROWS_CACHED_MAX } from '../domain/limits.ts';
import type { TaskName } from '../domain/task/task.ts';

/**
 * Tasks in the table `unmirrored`, each with the commit that touched it last. A task that is touched repeatedly is
 * inserted once, and one that is touched while its files are written stays in the table.
 */
export class MirrorMarks {
  /** Least recently touched first. */
  readonly #touchedIn = new Map<TaskName, number>();
  /** A task that is not in the map was touched in this commit at the latest. */
  #forgottenIn = 0;
  /** The number of the running or last commit of this process. */
  commit = 0;

  has(task: TaskName): boolean {
    return this.#touchedIn.has(task);
  }

  /** Call after the commit that inserted them. */
  keep(tasks: Iterable<TaskName>): void {
    for (const task of tasks) {
      this.#touchedIn.delete(task);
      this.#touchedIn.set(task, this.commit);
    }
    for (const [task, commit] of this.#touchedIn) {
      if (this.#touchedIn.size <= ROWS_CACHED_MAX) break;
      this.#touchedIn.delete(task);
      this.#forgottenIn = commit;
    }
  }

  isTouchedAfter(task: TaskName, commit: number): boolean {
    return (this.#touchedIn.get(task) ?? this.#forgottenIn) > commit;
  }

  settle(task: TaskName): void {
    this.#touchedIn.delete(task);
  }

  /** Another process has written, and may have touched any task. */
  forget(): void {
    this.#touchedIn.clear();
    this.#forgottenIn = this.commit;
  }
}
