import { ROWS_CACHED_MAX } from '../domain/limits.ts';
import type { TaskName } from '../domain/task.ts';

/**
 * Tasks that the ledger already says the tree is behind on, each with the commit that touched it last: a task that is
 * touched again and again is written down once, and one that was touched while its files were written stays there.
 */
export class MirrorMarks {
  /** The longest untouched first. */
  readonly #touchedIn = new Map<TaskName, number>();
  /** What is not known was touched in this commit at the latest. */
  #forgottenIn = 0;
  /** The number of the commit under way, or of the last, in this process. */
  commit = 0;

  has(task: TaskName): boolean {
    return this.#touchedIn.has(task);
  }

  /** After the commit that wrote them down. */
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

  /** Another process has written: nothing is known of what it touched. */
  forget(): void {
    this.#touchedIn.clear();
    this.#forgottenIn = this.commit;
  }
}
