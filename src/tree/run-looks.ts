import { RUN_RESULTS_LOOK_MS, RUN_RESULTS_PER_LOOK_MAX } from '../domain/limits.ts';
import { selectRunningTasks } from '../ledger/statements/runs.ts';
import type { Clock } from '../platform/clock.ts';
import type { LookParts } from './find-copies.ts';
import { stampOf, statAt } from './read-tree-file.ts';
import { type RunFile, runPath } from './tree-paths.ts';

const RUN_FILES: readonly RunFile[] = ['run.json', 'run_heartbeat.json', 'run_result.json'];

/**
 * The files of live runs. Their folders are many and short-lived, so they are not watched: a look at a stamp costs a
 * few microseconds.
 */
export class RunLooks {
  readonly #parts: LookParts;
  readonly #clock: Clock;
  #nextMs: number;
  #areRunsLive = true;

  constructor(parts: LookParts, clock: Clock) {
    this.#parts = parts;
    this.#clock = clock;
    this.#nextMs = clock.now().monotonicMs;
  }

  get nextDueMs(): number {
    return this.#areRunsLive ? this.#nextMs : Number.POSITIVE_INFINITY;
  }

  /** Files that are not as Baton last saw them, once it is time. */
  due(): string[] {
    const nowMs = this.#clock.now().monotonicMs;
    if (nowMs < this.#nextMs) return [];
    this.#nextMs = nowMs + RUN_RESULTS_LOOK_MS;
    const tasks = selectRunningTasks(this.#parts.read, RUN_RESULTS_PER_LOOK_MAX);
    this.#areRunsLive = tasks.length > 0;
    return tasks
      .flatMap((task) => RUN_FILES.map((file) => runPath(task, file, null)))
      .filter((path) => this.#isNew(path));
  }

  /** Results that lie there, of all live runs. */
  results(): string[] {
    const tasks = selectRunningTasks(this.#parts.read, RUN_RESULTS_PER_LOOK_MAX);
    return tasks.map((task) => runPath(task, 'run_result.json', null)).filter((path) => this.#isNew(path));
  }

  #isNew(path: string): boolean {
    const { root, seen } = this.#parts;
    const stat = statAt(root, path);
    // A result that is not there is what most runs have.
    if (!stat) return !path.endsWith('/run_result.json');
    return !seen.has(path, stampOf(stat));
  }
}
