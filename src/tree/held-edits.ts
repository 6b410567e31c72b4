import type { Stats } from 'node:fs';
import type { TaskName } from '../domain/task.ts';

/** Judges people's edits before the mirror overwrites or renames them. */
export interface EditJudge {
  /** The mirror does not write the task until its `showAgain` is called for it. */
  onHeld(task: TaskName): void;
  /** The mirror wrote the file. */
  onWritten(path: string, stat: Stats): void;
}

/** Tasks that the mirror does not write yet, because an edited file has to be judged first. */
export class HeldEdits {
  readonly #tasks = new Set<TaskName>();
  #judge: EditJudge | null = null;

  /** Without a judge, edited files are set aside unread. */
  get isJudged(): boolean {
    return this.#judge !== null;
  }

  get isEmpty(): boolean {
    return this.#tasks.size === 0;
  }

  /** Returns the held tasks if there is no judge any more. */
  judgeBy(judge: EditJudge | null): TaskName[] {
    this.#judge = judge;
    return judge === null ? [...this.#tasks] : [];
  }

  hold(task: TaskName): void {
    this.#tasks.add(task);
    this.#judge?.onHeld(task);
  }

  release(tasks: readonly TaskName[]): void {
    for (const task of tasks) this.#tasks.delete(task);
  }

  onWritten(path: string, stat: Stats): void {
    this.#judge?.onWritten(path, stat);
  }
}
