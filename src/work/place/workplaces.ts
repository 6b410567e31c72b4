import type { TaskName } from '../../domain/task/task.ts';
import { isWithin } from '../../domain/work/path-text.ts';

/** The folders that tasks have reserved: two tasks must not write to the same folder at the same time. */
export class Workplaces {
  readonly #holders = new Map<TaskName, string>();
  /** Tasks that wait, and the folder that each waits for. */
  readonly #waiting = new Map<TaskName, string>();
  /** Whether this node continues the order of a task; an interrupted order that it does not continue keeps its folder. */
  readonly isCarried: (taskId: TaskName) => boolean;

  constructor(isCarried: (taskId: TaskName) => boolean = () => true) {
    this.isCarried = isCarried;
  }

  /** The task, other than this one, that has this folder, one above it or one below it. */
  holderOf(folder: string, beside: TaskName | null = null): TaskName | null {
    for (const [taskId, held] of this.#holders) {
      if (taskId !== beside && (isWithin(folder, held) || isWithin(held, folder))) return taskId;
    }
    return null;
  }

  /** Reserves a folder; false if another task has it. */
  take(taskId: TaskName, folder: string): boolean {
    if (this.holderOf(folder, taskId) !== null) return false;
    this.#waiting.delete(taskId);
    this.#holders.set(taskId, folder);
    return true;
  }

  /** Records that a task waits for a folder; true if that is new. */
  wait(taskId: TaskName, folder: string): boolean {
    const isNew = this.#waiting.get(taskId) !== folder;
    this.#waiting.set(taskId, folder);
    return isNew;
  }

  /** Whether the folder that a task waits for is still reserved. */
  isHeldUp(taskId: TaskName): boolean {
    const folder = this.#waiting.get(taskId);
    return folder !== undefined && this.holderOf(folder) !== null;
  }

  release(taskId: TaskName): void {
    this.#holders.delete(taskId);
    this.#waiting.delete(taskId);
  }
}
