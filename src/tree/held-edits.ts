import type { Stats } from 'node:fs';
import type { TaskName } from '../domain/task.ts';

/** Who judges what people type into the tree, before the mirror does anything to it. */
export interface EditJudge {
  /** The task is not shown before `showAgain` of the mirror is called for it. */
  onHeld(task: TaskName): void;
  /** A file of Baton's own now lies there. */
  onWritten(path: string, stat: Stats): void;
}

/** Tasks that the mirror holds back because a person's text lies where it is to write. */
export class HeldEdits {
  readonly #tasks = new Set<TaskName>();
  #judge: EditJudge | null = null;

  /** Without a judge what is not Baton's is put aside. */
  get isJudged(): boolean {
    return this.#judge !== null;
  }

  get isEmpty(): boolean {
    return this.#tasks.size === 0;
  }

  /** Gives the tasks that nobody judges any more. */
  judgeBy(judge: EditJudge | null): TaskName[] {
    this.#judge = judge;
    return judge === null ? [...this.#tasks] : [];
  }

  hold(task: TaskName): void {
    this.#tasks.add(task);
    this.#judge?.onHeld(task);
  }

  letGo(tasks: readonly TaskName[]): void {
    for (const task of tasks) this.#tasks.delete(task);
  }

  onWritten(path: string, stat: Stats): void {
    this.#judge?.onWritten(path, stat);
  }
}
