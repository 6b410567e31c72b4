import { isWithin } from '../../domain/path-text.ts';
import type { TaskName } from '../../domain/task.ts';

/** Which task has which folder: two that write the same one at once would each undo what the other does. */
export class Workplaces {
  readonly #holders = new Map<TaskName, string>();
  /** Whoever could not have a folder, and which. */
  readonly #waiting = new Map<TaskName, string>();

  /** Whoever has this folder, one above it or one below it. */
  holderOf(folder: string): TaskName | null {
    for (const [taskId, held] of this.#holders) if (isWithin(folder, held) || isWithin(held, folder)) return taskId;
    return null;
  }

  /** True where nobody else has it. */
  take(taskId: TaskName, folder: string): boolean {
    const holder = this.holderOf(folder);
    if (holder !== null && holder !== taskId) return false;
    this.#waiting.delete(taskId);
    this.#holders.set(taskId, folder);
    return true;
  }

  /** True the first time that it has to wait for this folder. */
  wait(taskId: TaskName, folder: string): boolean {
    const isNew = this.#waiting.get(taskId) !== folder;
    this.#waiting.set(taskId, folder);
    return isNew;
  }

  /** While the folder that it waits for is another's there is no use in trying. */
  isHeldUp(taskId: TaskName): boolean {
    const folder = this.#waiting.get(taskId);
    return folder !== undefined && this.holderOf(folder) !== null;
  }

  release(taskId: TaskName): void {
    this.#holders.delete(taskId);
    this.#waiting.delete(taskId);
  }
}
