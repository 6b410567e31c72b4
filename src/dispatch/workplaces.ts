import { relative } from 'node:path';
import type { TaskName } from '../domain/task.ts';

/** Which task has which folder: two that write the same one at once would each undo what the other does. */
export class Workplaces {
  readonly #holders = new Map<TaskName, string>();

  /** Whoever has this folder, one above it or one below it. */
  holderOf(folder: string): TaskName | null {
    for (const [taskId, held] of this.#holders) if (isWithin(folder, held) || isWithin(held, folder)) return taskId;
    return null;
  }

  /** True where nobody else has it. */
  take(taskId: TaskName, folder: string): boolean {
    const holder = this.holderOf(folder);
    if (holder !== null && holder !== taskId) return false;
    this.#holders.set(taskId, folder);
    return true;
  }

  release(taskId: TaskName): void {
    this.#holders.delete(taskId);
  }
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === '' || !(way === '..' || way.startsWith('../'));
}
