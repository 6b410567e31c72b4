import { ROWS_CACHED_MAX } from '../domain/limits.ts';
import type { Run } from '../domain/task/run.ts';
import type { Task } from '../domain/task/task.ts';
import { isTerminal } from '../domain/task/task-lifecycle.ts';

/**
 * Open tasks and live runs as this process last read or wrote them. Commands come in clusters about the same task, and
 * reading a row costs as much as writing one. Valid because one process writes: a change by another connection clears
 * it.
 */
export class RowCache {
  readonly #tasks = new Map<string, Task>();
  readonly #runs = new Map<string, Run>();
  #openOrders: Set<string> | null = null;
  #dataVersion = -1;

  task(id: string): Task | undefined {
    return this.#tasks.get(id);
  }

  run(id: string): Run | undefined {
    return this.#runs.get(id);
  }

  keepTask(task: Task): void {
    if (isTerminal(task.status)) {
      this.#tasks.delete(task.id);
      return;
    }
    if (this.#tasks.size >= ROWS_CACHED_MAX) this.#tasks.clear();
    this.#tasks.set(task.id, task);
  }

  keepRun(run: Run): void {
    if (run.status !== 'running') {
      this.#runs.delete(run.id);
      return;
    }
    if (this.#runs.size >= ROWS_CACHED_MAX) this.#runs.clear();
    this.#runs.set(run.id, run);
  }

  forgetTask(id: string): void {
    this.#tasks.delete(id);
  }

  /** Returns false, and clears the cache, if another connection has written since. */
  keepIfUnchanged(dataVersion: number): boolean {
    const isUnchanged = dataVersion === this.#dataVersion;
    if (!isUnchanged) this.clear();
    this.#dataVersion = dataVersion;
    return isUnchanged;
  }

  /** Tasks whose order is not reported yet: few, and needed at every step of a task. */
  openOrders(load: () => Iterable<string>): Set<string> {
    this.#openOrders ??= new Set(load());
    return this.#openOrders;
  }

  clear(): void {
    this.#openOrders = null;
    this.#tasks.clear();
    this.#runs.clear();
  }
}
