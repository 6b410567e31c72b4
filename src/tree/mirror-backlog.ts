import { MIRROR_TASKS_PER_BATCH_MAX } from '../domain/limits.ts';
import type { TaskName } from '../domain/task.ts';
import { selectUnmirrored } from '../ledger/statements/mirror-files.ts';
import type { Reader } from '../ledger/tx.ts';

/**
 * Which tasks the tree is behind on. Names only: what is shown is read when it is written, so the last state wins. The
 * ledger knows them too, so nothing is lost with the process.
 */
export class MirrorBacklog {
  readonly #read: Reader;
  readonly #waiting = new Set<TaskName>();
  readonly #awaited = new Set<TaskName>();
  /** How far the ledger's own list has been read; null once it is at its end. */
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

  /** Somebody waits for one of them. */
  get isAwaited(): boolean {
    return this.#awaited.size > 0;
  }

  add(tasks: Iterable<TaskName>): void {
    for (const task of tasks) if (!this.#awaited.has(task)) this.#waiting.add(task);
  }

  /** Before all others. */
  hurry(task: TaskName): void {
    this.#waiting.delete(task);
    this.#awaited.add(task);
  }

  has(task: TaskName): boolean {
    return this.#waiting.has(task) || this.#awaited.has(task);
  }

  names(): TaskName[] {
    return [...this.#awaited, ...this.#waiting];
  }

  /** Reads the ledger's list once more from its start. */
  scanAgain(): void {
    this.#scannedTo = '';
  }

  /** Lets all go; the ledger still has them. */
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
