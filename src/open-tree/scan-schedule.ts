import {
  RUN_RESULTS_CHECK_MS,
  RUN_RESULTS_PER_CHECK_MAX,
  TREE_QUIET_MS,
  TREE_RECHECKS_MAX,
  TREE_SCAN_MS,
} from '../domain/limits.ts';
import type { TaskName } from '../domain/task/task.ts';
import { isTerminal, TASK_STATUSES } from '../domain/task/task-lifecycle.ts';
import { selectMeta } from '../ledger/statements/meta.ts';
import { isMirrored } from '../ledger/statements/mirror-files.ts';
import { selectRunningTasks } from '../ledger/statements/runs.ts';
import { rememberMeta } from '../operations/ledger-upkeep.ts';
import type { Clock } from '../platform/clock.ts';
import { type RunFile, runPath, STATUS_FOLDERS } from '../tree/tree-paths.ts';
import { stampOf, statAt } from './read-tree-file.ts';
import type { ReconcileParts } from './reconcile-parts.ts';

export const OPEN_FOLDERS: readonly string[] = TASK_STATUSES.filter((status) => !isTerminal(status)).map(
  (status) => `tasks/${status}`,
);

/** When to scan which folders: all at the start, those of open tasks every half minute. */
export class ScanSchedule {
  readonly #clock: Clock;
  #nextMs: number;
  #isFirst = true;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#nextMs = clock.now().monotonicMs;
  }

  /** No more scans by time. */
  stop(): void {
    this.#isFirst = false;
    this.#nextMs = Number.POSITIVE_INFINITY;
  }

  get nextDueMs(): number {
    return this.#nextMs;
  }

  /** Includes folders with a burst of hints, since some hints were lost. */
  foldersDue(burstIn: readonly string[]): readonly string[] {
    const nowMs = this.#clock.now().monotonicMs;
    if (nowMs < this.#nextMs && burstIn.length === 0) return [];
    const folders = this.#isFirst ? STATUS_FOLDERS : [...new Set([...OPEN_FOLDERS, ...burstIn])];
    this.#isFirst = false;
    this.#nextMs = nowMs + TREE_SCAN_MS;
    return folders;
  }
}

interface Waiting {
  readonly dueMs: number;
  readonly checks: number;
}

/** Paths to check again, each at its time on the monotonic clock. */
export class RecheckQueue {
  readonly #waiting = new Map<string, Waiting>();

  get size(): number {
    return this.#waiting.size;
  }

  /** True if an editor may still be writing one of them; the others wait for the mirror. */
  get isAnyUnsettled(): boolean {
    return this.#waiting.values().some(({ checks }) => checks === 0);
  }

  /** Null if the queue is empty. */
  get nextDueMs(): number | null {
    let next: number | null = null;
    for (const { dueMs } of this.#waiting.values()) next = next === null ? dueMs : Math.min(next, dueMs);
    return next;
  }

  /** For files that an editor may still be writing. */
  recheckSoon(paths: readonly string[], nowMs: number): void {
    for (const path of paths) this.#waiting.set(path, { dueMs: nowMs + TREE_QUIET_MS, checks: 0 });
  }

  /** For files that the mirror has yet to write. After a number of checks they are left to the next scan. */
  recheckLater(paths: readonly string[], nowMs: number): void {
    for (const path of paths) {
      const checks = (this.#waiting.get(path)?.checks ?? 0) + 1;
      if (checks > TREE_RECHECKS_MAX) this.#waiting.delete(path);
      else this.#waiting.set(path, { dueMs: nowMs + TREE_QUIET_MS, checks });
    }
  }

  /** Due paths; they stay in the queue until `done`, so that their checks are counted. */
  due(nowMs: number): string[] {
    return [...this.#waiting].filter(([, { dueMs }]) => dueMs <= nowMs).map(([path]) => path);
  }

  done(paths: Iterable<string>): void {
    for (const path of paths) this.#waiting.delete(path);
  }
}

const SCANNED_AT = 'tree_looked_at';
/** Reading fewer files again is faster than a commit. */
const READS_WORTH_A_COMMIT = 50;

/** Records for the next process when the folders of open tasks were last scanned without a finding. */
export class ScanMark {
  readonly #parts: ReconcileParts;
  readonly #clock: Clock;
  #beganAtMs = 0;
  #readsBefore = 0;

  constructor(parts: ReconcileParts, clock: Clock) {
    this.#parts = parts;
    this.#clock = clock;
  }

  /** Begins a scan that trusts the last one. */
  trust(): void {
    const { seen, read } = this.#parts;
    this.#beganAtMs = this.#clock.now().wallMs;
    this.#readsBefore = seen.reads;
    seen.trustBefore(Number(selectMeta(read, SCANNED_AT) ?? 0));
  }

  /** `isClean`: nothing remains to be judged. */
  async end(isClean: boolean): Promise<void> {
    const { ledger, seen } = this.#parts;
    seen.trustBefore(0);
    if (!isClean || seen.reads - this.#readsBefore < READS_WORTH_A_COMMIT) return;
    await ledger.submit(rememberMeta, { key: SCANNED_AT, value: String(this.#beganAtMs) });
  }
}

/** An agent may write it itself. */
const RESULT_FILES: readonly RunFile[] = ['run_result.json'];
const RUN_FILES: readonly RunFile[] = ['run.json', 'run_heartbeat.json', ...RESULT_FILES];

/**
 * Checks the files of live runs. Their folders are many and short-lived, so they are not watched: reading a stamp takes
 * a few microseconds.
 */
export class RunFileChecks {
  readonly #parts: ReconcileParts;
  readonly #clock: Clock;
  #nextMs: number;
  #areRunsLive = true;

  constructor(parts: ReconcileParts, clock: Clock) {
    this.#parts = parts;
    this.#clock = clock;
    this.#nextMs = clock.now().monotonicMs;
  }

  get nextDueMs(): number {
    return this.#areRunsLive ? this.#nextMs : Number.POSITIVE_INFINITY;
  }

  /** Files with a new stamp; none before the next check is due. */
  due(): string[] {
    const nowMs = this.#clock.now().monotonicMs;
    if (nowMs < this.#nextMs) return [];
    this.#nextMs = nowMs + RUN_RESULTS_CHECK_MS;
    const tasks = selectRunningTasks(this.#parts.read, RUN_RESULTS_PER_CHECK_MAX);
    this.#areRunsLive = tasks.length > 0;
    return tasks.flatMap((task) => this.#filesOf(task)).filter((path) => this.#isNew(path));
  }

  /** Files that the mirror is about to write cannot be told from missing or changed ones yet. */
  #filesOf(task: TaskName): string[] {
    const files = isMirrored(this.#parts.read, task) ? RUN_FILES : RESULT_FILES;
    return files.map((file) => runPath(task, file, null));
  }

  /** New result files of all live runs. */
  results(): string[] {
    const tasks = selectRunningTasks(this.#parts.read, RUN_RESULTS_PER_CHECK_MAX);
    return tasks.map((task) => runPath(task, 'run_result.json', null)).filter((path) => this.#isNew(path));
  }

  #isNew(path: string): boolean {
    const { root, seen } = this.#parts;
    const stat = statAt(root, path);
    // Most runs have no result file.
    if (!stat) return !path.endsWith('/run_result.json');
    return !seen.has(path, stampOf(stat));
  }
}
