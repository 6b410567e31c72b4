import { MIRROR_DELAY_MS_MAX, MIRROR_STAND_BACK_MS, MIRROR_TASKS_PER_BATCH_MAX } from '../domain/limits.ts';
import type { TaskName } from '../domain/task/task.ts';
import { LedgerFault } from '../ledger/fault.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { lastSeq } from '../ledger/statements/events.ts';
import { isMirrored } from '../ledger/statements/mirror-files.ts';
import { HeldEdits } from './held-edits.ts';
import { MirrorBacklog, SettledWaiters } from './mirror-backlog.ts';
import { type Rebuilt, rebuildTree, rebuiltEvents } from './rebuild-tree.ts';
import type { WrittenStamp } from './tree-files.ts';
import { type TreeParts, type TreePartsOptions, treeParts } from './tree-parts.ts';
import { TreeWriter } from './tree-writer.ts';

export interface MirrorParts extends Omit<TreePartsOptions, 'read' | 'isBusy' | 'edits'> {
  readonly ledger: Ledger;
  /** An open tree judges edited files; without one they are set aside unread. */
  readonly areEditsJudged?: boolean;
}

/**
 * Writes the ledger as files, after each commit and without delaying one. The last state of a task wins. If a file
 * cannot be written, its task stays marked, an incident opens, and the mirror tries again.
 */
export class Mirror {
  readonly #parts: MirrorParts;
  readonly #tree: TreeParts;
  readonly #backlog: MirrorBacklog;
  readonly #writer: TreeWriter;
  readonly #waiters = new SettledWaiters();
  readonly #edits: HeldEdits;
  /** The batch with the last task of the ledger's list. */
  #scannedBy = 0;
  #commits = 0;
  /** The disk has no room for the mirror's records: nothing is tried before the next `startAfresh`. */
  #isStalled = false;
  #isLooping = false;
  #isStopped = false;
  #turn: Promise<unknown> = Promise.resolve();
  #unsubscribe: (() => void) | null = null;
  #cancelRetry: (() => void) | null = null;
  #endStandBack: () => void = () => {};

  constructor(parts: MirrorParts) {
    const { ledger, areEditsJudged = false, ...rest } = parts;
    this.#parts = parts;
    this.#edits = new HeldEdits(areEditsJudged);
    this.#backlog = new MirrorBacklog(ledger.read);
    this.#tree = treeParts({ ...rest, read: ledger.read, edits: this.#edits, isBusy: () => this.#isBusy() });
    this.#writer = new TreeWriter({
      ledger,
      tree: this.#tree,
      onShown: (shown) => {
        this.#waiters.show({ ...shown, isAll: !this.#backlog.isScanning && shown.batch >= this.#scannedBy });
      },
    });
  }

  start(): void {
    this.#unsubscribe = this.#parts.ledger.onCommitted((touched) => {
      if (touched.size > 0) this.#commits++;
      if (!this.#isStalled) this.#backlog.add(touched);
      this.#kick();
    });
    this.#kick();
  }

  /** Tasks with an edited file: they are not written until `showAgain` is called for them. */
  get heldTasks(): ReadonlySet<TaskName> {
    return this.#edits.tasks;
  }

  /** Resolves when another task is held. */
  nextHeld(): Promise<void> {
    return this.#edits.next();
  }

  /** The stamp of a file as the mirror wrote it; undefined if it did not lately. */
  writtenAt(path: string): WrittenStamp | undefined {
    return this.#tree.files.writtenAt(path);
  }

  /** The edits of these tasks were judged: the mirror writes them now. */
  showAgain(tasks: readonly TaskName[]): void {
    this.#edits.release(tasks);
    if (tasks.length === 0 || this.#isStalled) return;
    this.#backlog.add(tasks);
    this.#kick();
  }

  /** Writes and records one batch, and retries at once what failed. */
  tick(): Promise<{ remaining: boolean }> {
    return this.#inTurn(async () => {
      if (this.#backlog.isEmpty) this.#startAfresh();
      await this.#round();
      await this.#writer.settle(!this.#hasWork());
      return { remaining: this.#hasWork() };
    });
  }

  /**
   * Resolves when the tree shows what was committed before the call, of these tasks or of all, and its events; or when
   * an incident is open because it cannot.
   */
  settled(tasks?: readonly TaskName[]): Promise<void> {
    if (this.#isStopped || this.#isStalled) return Promise.resolve();
    const { read } = this.#parts.ledger;
    const underWay = this.#writer.underWay();
    for (const task of tasks ?? []) {
      const isLate = !underWay.has(task) && !isMirrored(read, task);
      if (isLate || this.#backlog.has(task)) this.#backlog.prioritize(task);
    }
    const named = (tasks ?? [...this.#backlog.names(), ...underWay]).filter(
      (task) => this.#backlog.has(task) || underWay.has(task),
    );
    const next = this.#writer.batch + 1;
    const shown = this.#waiters.wait({
      tasks: new Map(named.map((task) => [task, this.#backlog.has(task) ? next : 0])),
      seq: lastSeq(read),
      isAll: tasks === undefined,
    });
    this.#endStandBack();
    this.#kick();
    return shown;
  }

  /** Writes the whole tree again from the ledger and keeps other people's files. */
  rebuild(): Promise<Rebuilt> {
    return this.#inTurn(async () => {
      this.#startAfresh();
      const rebuilt = await rebuildTree({ read: this.#parts.ledger.read, tree: this.#tree, writer: this.#writer });
      await this.#writer.settle(!this.#hasWork());
      return rebuilt;
    });
  }

  /** Writes all event files again, after some went missing. */
  restoreEvents(): Promise<void> {
    return this.#inTurn(async () => {
      await rebuiltEvents(this.#tree, this.#parts.ledger.read);
    });
  }

  /** Finishes the current batch; the next start finds the rest in the ledger. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#unsubscribe?.();
    this.#cancelRetry?.();
    await this.#inTurn(() => this.#writer.settle(false)).catch(endWithLedger);
    this.#waiters.releaseAll();
  }

  #isBusy(): boolean {
    const isBusy = this.#commits > 0 && !this.#backlog.isAwaited;
    this.#commits = 0;
    return isBusy;
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => {
      // The caller gets the error; the next in the queue runs all the same.
    });
    return result;
  }

  #kick(): void {
    if (this.#isLooping || this.#isStopped) return;
    this.#isLooping = true;
    void this.#loop();
  }

  async #loop(): Promise<void> {
    try {
      await this.#parts.timer.breathe();
      await this.#standBack();
      while (!this.#isStopped && this.#hasWork()) await this.#inTurn(() => this.#round());
      if (this.#edits.tasks.size === 0) this.#waiters.releaseAll();
    } catch (error) {
      this.#isStopped = true;
      this.#waiters.failAll(error);
      endWithLedger(error);
    } finally {
      this.#isLooping = false;
    }
  }

  /** While commands keep coming, their answers go first, and a task that changes again soon is written once. */
  async #standBack(): Promise<void> {
    const { clock, timer } = this.#parts;
    const startedMs = clock.now().monotonicMs;
    while (this.#waiters.isEmpty && !this.#isStopped && this.#isBusy()) {
      if (clock.now().monotonicMs - startedMs >= MIRROR_DELAY_MS_MAX) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#endStandBack = resolve;
      await Promise.race([timer.pause(MIRROR_STAND_BACK_MS), promise]);
    }
  }

  #hasWork(): boolean {
    return !this.#isStalled && (!this.#backlog.isEmpty || this.#writer.hasEventsToWrite);
  }

  async #round(): Promise<void> {
    const wasScanning = this.#backlog.isScanning;
    const tasks = this.#backlog.take();
    if (wasScanning && !this.#backlog.isScanning) this.#scannedBy = this.#writer.batch + 1;
    const outcome = await this.#writer.show(tasks, false);
    if (outcome && outcome.postponed.length > 0) {
      this.#backlog.add(outcome.postponed);
      this.#scannedBy = this.#writer.batch + 1;
    }
    for (const task of outcome?.held ?? []) this.#edits.hold(task);
    await this.#writer.writeEvents();
    if (outcome === null) this.#isStalled = true;
    // The whole backlog would fail like this full batch; the ledger still lists it.
    if (outcome === null || outcome.failed === MIRROR_TASKS_PER_BATCH_MAX) this.#backlog.clear();
    if (outcome === null || this.#tree.trouble.isFailing) this.#retryLater();
    if (!this.#hasWork()) await this.#writer.settle(true);
  }

  #startAfresh(): void {
    this.#cancelRetry?.();
    this.#cancelRetry = null;
    this.#isStalled = false;
    this.#writer.startAfresh();
    this.#backlog.scanAgain();
  }

  #retryLater(): void {
    if (this.#cancelRetry || this.#isStopped) return;
    this.#cancelRetry = this.#parts.timer.after(this.#tree.trouble.nextRetryMs(), () => {
      this.#startAfresh();
      this.#kick();
    });
  }
}

/** A stopped ledger ends the process by itself; any other error is a bug. */
function endWithLedger(error: unknown): void {
  if (!(error instanceof LedgerFault)) throw error;
}
