import type { TaskName } from '../domain/task.ts';

export interface Awaited {
  /** Each task, and the first batch that can show what was committed. */
  readonly tasks: Map<TaskName, number>;
  /** The last event that must have its line. */
  readonly seq: number;
  /** Also what the ledger's own list still holds. */
  readonly isAll: boolean;
}

/** What the tree shows by now. */
export interface Shown {
  readonly batch: number;
  readonly tasks: Iterable<TaskName>;
  readonly seq: number;
  readonly isAll: boolean;
}

interface Waiter extends Awaited {
  resolve(): void;
  reject(reason: unknown): void;
}

/** Those who wait until the tree shows their change. */
export class SettledWaiters {
  #waiters: Waiter[] = [];

  get isEmpty(): boolean {
    return this.#waiters.length === 0;
  }

  wait(awaited: Awaited): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiters.push({ ...awaited, resolve, reject });
    });
  }

  show({ batch, tasks, seq, isAll }: Shown): void {
    if (this.isEmpty) return;
    const shown = [...tasks];
    this.#waiters = this.#waiters.filter((waiter) => {
      for (const task of shown) if ((waiter.tasks.get(task) ?? batch) <= batch) waiter.tasks.delete(task);
      if (waiter.tasks.size > 0 || waiter.seq > seq || (waiter.isAll && !isAll)) return true;
      waiter.resolve();
      return false;
    });
  }

  /** The tree cannot follow for now, and an incident says so: nobody waits for that. */
  releaseAll(): void {
    for (const { resolve } of this.#waiters.splice(0)) resolve();
  }

  failAll(reason: unknown): void {
    for (const { reject } of this.#waiters.splice(0)) reject(reason);
  }
}
