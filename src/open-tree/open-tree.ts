import { TREE_HINT_MS, TREE_QUIET_MS } from '../domain/limits.ts';
import type { TaskName } from '../domain/task/task.ts';
import { LedgerFault } from '../ledger/fault.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Clock } from '../platform/clock.ts';
import type { FolderWatch } from '../platform/files/folder-watch.ts';
import type { Ids } from '../platform/ids.ts';
import type { Timer } from '../platform/timer.ts';
import type { Mirror } from '../tree/mirror.ts';
import { runPath, STATUS_FOLDERS, taskOf } from '../tree/tree-paths.ts';
import { Reconciler } from './reconcile.ts';
import { reconcileParts } from './reconcile-parts.ts';
import { OPEN_FOLDERS, RecheckQueue, RunFileChecks, ScanMark, ScanSchedule } from './scan-schedule.ts';
import { TreeSearch } from './tree-search.ts';
import { Watcher } from './watcher.ts';

interface OpenTreeParts {
  /** The data folder. */
  readonly root: string;
  readonly ledger: Ledger;
  readonly mirror: Pick<Mirror, 'heldTasks' | 'nextHeld' | 'showAgain' | 'writtenAt' | 'restoreEvents'>;
  readonly watch: FolderWatch;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly timer: Timer;
}

/** How often a caller waits for an editor and for the mirror; the next scan finds the rest. */
const EDITOR_WAITS_MAX = 4;
const MIRROR_WAITS_MAX = 25;
const MIRROR_WAIT_MS = 20;

/**
 * Finds files that people changed and has them judged (aof:hand-edits). Hints of the system say which files to check
 * first; every half minute, and after a burst of hints, it scans the folders. Rounds run one at a time, in short slices.
 */
export class OpenTree {
  readonly #parts: OpenTreeParts;
  readonly #search: TreeSearch;
  readonly #reconciler: Reconciler;
  readonly #watcher: Watcher;
  readonly #schedule: ScanSchedule;
  readonly #runs: RunFileChecks;
  readonly #queue = new RecheckQueue();
  /** Folders that were found missing, until their files have been judged. */
  readonly #goneFolders = new Set<string>();
  readonly #mark: ScanMark;
  readonly #markWaited: () => void;
  #isStarted = false;
  #isStopped = false;
  #turn: Promise<unknown> = Promise.resolve();
  #cancelTick: (() => void) | null = null;
  #wakeAtMs = Number.POSITIVE_INFINITY;

  constructor(parts: OpenTreeParts) {
    const tools = reconcileParts(parts);
    const { root, watch, clock, mirror } = parts;
    this.#parts = parts;
    this.#reconciler = new Reconciler(tools);
    this.#search = new TreeSearch({ ...tools, mirror, ids: parts.ids });
    this.#mark = new ScanMark(tools, clock);
    this.#schedule = new ScanSchedule(clock);
    this.#runs = new RunFileChecks(tools, clock);
    this.#watcher = new Watcher({ root, watch, onHint: () => this.#wakeIn(TREE_HINT_MS) });
    this.#markWaited = () => tools.unsettled.markWaited();
    void this.#followHeld();
  }

  start(): void {
    this.#isStarted = true;
    this.#watcher.refresh();
    this.#wakeIn(0);
  }

  /** For one command: files that the mirror reports are judged, but no folder is scanned. */
  startBriefly(): void {
    this.#isStarted = true;
    this.#schedule.stop();
  }

  /** Checks what is due; `remaining` if something is not. */
  tick(): Promise<{ remaining: boolean }> {
    return this.#inTurn(async () => {
      const { paths, burstIn } = this.#watcher.take();
      const due = [...this.#queue.due(this.#nowMs()), ...this.#runs.due()];
      await this.#round([...paths, ...due], this.#schedule.foldersDue(burstIn));
      return { remaining: this.#queue.size + this.#held.size > 0 };
    });
  }

  /** Scans all folders and judges every change made before the call. */
  async reconcileAll(): Promise<void> {
    await this.#settle(() => this.#round(this.#watcher.take().paths, STATUS_FOLDERS));
  }

  /**
   * The same for the folders of open tasks, so that the cost does not grow with finished tasks. Files unchanged since
   * the last call are not read.
   */
  async reconcileOpen(): Promise<void> {
    this.#mark.trust();
    await this.#settle(() => this.#round(this.#watcher.take().paths, OPEN_FOLDERS));
    await this.#mark.end(this.#queue.size + this.#held.size === 0);
  }

  /** Checks these files now. Paths are relative to the data folder. */
  async reconcile(paths: readonly string[]): Promise<void> {
    await this.#settle(() => this.#round(paths, []));
  }

  /** Accepts the result that an agent wrote itself, before its session ends. */
  async reconcileRun(task: TaskName): Promise<void> {
    const path = runPath(task, 'run_result.json', null);
    // Most results come as a report, and the file is the mirror's.
    if (this.#held.has(task) || this.#search.isNew(path)) await this.reconcile([path]);
  }

  /** The same for all live runs, before runs without a heartbeat are recovered. */
  async reconcileRuns(): Promise<void> {
    await this.#settle(() => this.#round(this.#runs.results(), []));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelTick?.();
    this.#watcher.stop();
    await this.#turn;
  }

  async #settle(first: () => Promise<void>): Promise<void> {
    await this.#inTurn(first);
    let [editor, mirror] = [0, 0];
    while (!this.#isStopped && editor < EDITOR_WAITS_MAX && mirror < MIRROR_WAITS_MAX) {
      if (this.#queue.size + this.#held.size === 0) return;
      const isUnsettled = this.#queue.isAnyUnsettled;
      if (isUnsettled) editor++;
      else mirror++;
      await this.#parts.timer.pause(isUnsettled ? TREE_QUIET_MS : MIRROR_WAIT_MS);
      this.#markWaited();
      await this.#inTurn(() => this.#round(this.#queue.due(Number.POSITIVE_INFINITY), []));
    }
  }

  async #round(paths: readonly string[], folders: readonly string[]): Promise<void> {
    const found = await this.#search.search(paths, folders);
    if (folders.length > 0) this.#watcher.refresh();
    const held = new Set(this.#held);
    const all = [...new Set([...found.paths, ...this.#search.pathsOf(held)])];
    for (const folder of found.goneFolders) this.#goneFolders.add(folder);
    const goneFolders = this.#goneFolders;
    const { unsettled, later } = await this.#reconciler.reconcile({ paths: all, held, goneFolders });
    const again = new Set([...unsettled, ...later]);
    this.#queue.done([...paths, ...all].filter((path) => !again.has(path)));
    this.#queue.recheckSoon(unsettled, this.#nowMs());
    this.#queue.recheckLater(later, this.#nowMs());
    if (this.#queue.size === 0) this.#goneFolders.clear();
    const waiting = new Set([...again].map(taskOf));
    this.#parts.mirror.showAgain([...held].filter((task) => !waiting.has(task)));
    if (all.length + folders.length > 0) await this.#search.closeTroubles();
  }

  /** Tasks that the mirror writes only after their edited files were judged. */
  get #held(): ReadonlySet<TaskName> {
    return this.#parts.mirror.heldTasks;
  }

  async #followHeld(): Promise<void> {
    while (!this.#isStopped) {
      await this.#parts.mirror.nextHeld();
      this.#wakeIn(0);
    }
  }

  #nowMs(): number {
    return this.#parts.clock.now().monotonicMs;
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => {
      // The caller gets the error; the next in the queue runs all the same.
    });
    return result;
  }

  #wakeIn(milliseconds: number): void {
    const atMs = this.#nowMs() + milliseconds;
    // Held tasks are judged in any case: a caller may wait for them.
    const isAwake = this.#isStarted || this.#held.size > 0;
    if (!isAwake || this.#isStopped || atMs >= this.#wakeAtMs) return;
    this.#cancelTick?.();
    this.#wakeAtMs = atMs;
    this.#cancelTick = this.#after(milliseconds, () => void this.#wake());
  }

  /** While the mirror holds tasks, a caller may wait for them: the process stays alive until they are judged. */
  #after(milliseconds: number, call: () => void): () => void {
    const { timer } = this.#parts;
    if (this.#held.size === 0) return timer.after(milliseconds, call);
    let isCancelled = false;
    void timer.pause(milliseconds).then(() => isCancelled || call());
    return () => {
      isCancelled = true;
    };
  }

  async #wake(): Promise<void> {
    this.#cancelTick = null;
    this.#wakeAtMs = Number.POSITIVE_INFINITY;
    try {
      if (this.#isStarted) await this.tick();
      else await this.#inTurn(() => this.#round(this.#queue.due(this.#nowMs()), []));
    } catch (error) {
      // A stopped ledger ends the process by itself; any other error is a bug.
      if (!(error instanceof LedgerFault)) throw error;
      this.#isStopped = true;
    }
    const dues = this.#isStarted ? [this.#schedule.nextDueMs, this.#runs.nextDueMs] : [];
    const nextMs = Math.min(this.#queue.nextDueMs ?? Number.POSITIVE_INFINITY, ...dues);
    this.#wakeIn(Math.max(0, nextMs - this.#nowMs()));
  }
}
