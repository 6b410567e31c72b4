import { MIRROR_TASKS_PER_BATCH_MAX } from '../domain/limits.ts';
import type { TaskName } from '../domain/task/task.ts';
import { selectUnmirrored } from '../ledger/statements/mirror-files.ts';
import type { Reader } from '../ledger/tx.ts';

/**
 * The tasks whose files are out of date. Names only: a task is read when it is written, so the last state wins. The
 * ledger has the same list, so the process may die.
 */
export class MirrorBacklog {
  readonly #read: Reader;
  readonly #waiting = new Set<TaskName>();
  readonly #awaited = new Set<TaskName>();
  /** How far the ledger's list has been read; null at its end. */
  #scannedTo: string | null = '';

  constructor(read: Reader) {
    this.#read = read;
  }

  get isEmpty(): boolean {
    return this.#waiting.size === 0 && this.#awaited.size === 0 && this.#scannedTo === null;
  }

  get isScanning(): boolean {
    return this.#scannedTo !== null;
  }

  /** True if a caller waits for one of them. */
  get isAwaited(): boolean {
    return this.#awaited.size > 0;
  }

  add(tasks: Iterable<TaskName>): void {
    for (const task of tasks) if (!this.#awaited.has(task)) this.#waiting.add(task);
  }

  /** Moves a task to the front. */
  prioritize(task: TaskName): void {
    this.#waiting.delete(task);
    this.#awaited.add(task);
  }

  has(task: TaskName): boolean {
    return this.#waiting.has(task) || this.#awaited.has(task);
  }

  names(): TaskName[] {
    return [...this.#awaited, ...this.#waiting];
  }

  /** Reads the ledger's list again from its start. */
  scanAgain(): void {
    this.#scannedTo = '';
  }

  /** Forgets all; the ledger still lists them. */
  clear(): void {
    this.#waiting.clear();
    this.#awaited.clear();
    this.#scannedTo = null;
  }

  take(): TaskName[] {
    if (this.#waiting.size + this.#awaited.size < MIRROR_TASKS_PER_BATCH_MAX) this.#scan();
    const taken: TaskName[] = [];
    for (const from of [this.#awaited, this.#waiting]) {
      for (const task of from) {
        if (taken.length === MIRROR_TASKS_PER_BATCH_MAX) return taken;
        from.delete(task);
        taken.push(task);
      }
    }
    return taken;
  }

  #scan(): void {
    if (this.#scannedTo === null) return;
    const limit = MIRROR_TASKS_PER_BATCH_MAX;
    const page = selectUnmirrored(this.#read, this.#scannedTo, limit);
    this.#scannedTo = page.length < limit ? null : (page.at(-1) ?? null);
    this.add(page);
  }
}

export interface AwaitedState {
  /** Each task with the first batch that can write its committed state. */
  readonly tasks: Map<TaskName, number>;
  /** The last event that must be written. */
  readonly seq: number;
  /** True if the ledger's whole list must be written too. */
  readonly isAll: boolean;
}

/** The state of the tree after a batch. */
export interface WrittenState {
  readonly batch: number;
  readonly tasks: Iterable<TaskName>;
  readonly seq: number;
  readonly isAll: boolean;
}

interface Waiter extends AwaitedState {
  resolve(): void;
  reject(reason: unknown): void;
}

/** Callers that wait until the tree shows their change. */
export class SettledWaiters {
  #waiters: Waiter[] = [];

  get isEmpty(): boolean {
    return this.#waiters.length === 0;
  }

  wait(awaited: AwaitedState): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiters.push({ ...awaited, resolve, reject });
    });
  }

  show({ batch, tasks, seq, isAll }: WrittenState): void {
    if (this.isEmpty) return;
    const shown = [...tasks];
    this.#waiters = this.#waiters.filter((waiter) => {
      for (const task of shown) if ((waiter.tasks.get(task) ?? batch) <= batch) waiter.tasks.delete(task);
      if (waiter.tasks.size > 0 || waiter.seq > seq || (waiter.isAll && !isAll)) return true;
      waiter.resolve();
      return false;
    });
  }

  /** Resolves all: the tree cannot be written now, and an incident is open. */
  releaseAll(): void {
    for (const { resolve } of this.#waiters.splice(0)) resolve();
  }

  failAll(reason: unknown): void {
    for (const { reject } of this.#waiters.splice(0)) reject(reason);
  }
}
