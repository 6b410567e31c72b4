import { TREE_PASS_MS } from '../domain/limits.ts';
import { isTerminal, TASK_STATUSES } from '../domain/task-lifecycle.ts';
import type { Clock } from '../platform/clock.ts';
import { STATUS_FOLDERS } from './tree-paths.ts';

export const OPEN_FOLDERS: readonly string[] = TASK_STATUSES.filter((status) => !isTerminal(status)).map(
  (status) => `tasks/${status}`,
);

/** When which folders are looked through: all of them at the start, those of open tasks every half minute. */
export class PassSchedule {
  readonly #clock: Clock;
  #nextMs: number;
  #isFirst = true;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#nextMs = clock.now().monotonicMs;
  }

  /** Nothing is looked through unless it is asked for. */
  stop(): void {
    this.#isFirst = false;
    this.#nextMs = Number.POSITIVE_INFINITY;
  }

  get nextDueMs(): number {
    return this.#nextMs;
  }

  /** Where hints came in a burst, some were lost: there too. */
  foldersDue(burstIn: readonly string[]): readonly string[] {
    const nowMs = this.#clock.now().monotonicMs;
    if (nowMs < this.#nextMs && burstIn.length === 0) return [];
    const folders = this.#isFirst ? STATUS_FOLDERS : [...new Set([...OPEN_FOLDERS, ...burstIn])];
    this.#isFirst = false;
    this.#nextMs = nowMs + TREE_PASS_MS;
    return folders;
  }
}
