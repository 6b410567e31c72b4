import { isRefusal } from '../domain/refusal.ts';
import type { TaskName } from '../domain/task.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { lastSeq } from '../ledger/statements/events.ts';
import { crashPoint } from '../platform/crash-point.ts';
import { planBatch } from './plan-batch.ts';
import type { TaskPlan } from './plan-task.ts';
import { recordMirror, type SettledTask } from './record-mirror.ts';
import { performPlan } from './tree-files.ts';
import type { TreeParts } from './tree-parts.ts';
import { EVENTS_FOLDER } from './tree-paths.ts';

/** What the tree shows and the ledger knows it shows. */
export interface Shown {
  readonly batch: number;
  readonly tasks: ReadonlySet<TaskName>;
  /** The last event that has its line, or whose file an incident is about. */
  readonly seq: number;
}

export interface TreeWriterParts {
  readonly ledger: Ledger;
  readonly tree: TreeParts;
  onShown(shown: Shown): void;
}

export interface BatchOutcome {
  readonly failed: number;
  /** Too much for one batch. */
  readonly postponed: readonly TaskName[];
  /** Not shown before a person's text was judged. */
  readonly held: readonly TaskName[];
}

interface Recording {
  /** What is about to be written. */
  readonly plans: readonly TaskPlan[];
  /** The last batch that was written. */
  readonly batch: number;
  readonly isDone: boolean;
}

/**
 * Writes batches of tasks. A batch is two commands of the ledger at most: what it is about to write, before the first
 * file, and what it has written, which waits for the next batch's command. So every content that may lie in the tree
 * after a crash is known by its hash.
 */
export class TreeWriter {
  readonly #parts: TreeWriterParts;
  #batch = 0;
  #inFlight: ReadonlySet<TaskName> = new Set();
  #unsettled: ReadonlySet<TaskName> = new Set();
  #settled: SettledTask[] = [];
  #recordedSeq: number;
  #areEventsHeld = false;

  constructor(parts: TreeWriterParts) {
    this.#parts = parts;
    this.#recordedSeq = parts.tree.log.recorded();
  }

  /** The number of the batch under way, or of the last. */
  get batch(): number {
    return this.#batch;
  }

  /** Tasks that are being shown, as they were read. */
  underWay(): ReadonlySet<TaskName> {
    return this.#inFlight.union(this.#unsettled);
  }

  get hasEventsToWrite(): boolean {
    const { written } = this.#parts.tree.log;
    return !this.#areEventsHeld && (written === null || written < lastSeq(this.#parts.ledger.read));
  }

  /** Events are tried again. */
  startAfresh(): void {
    this.#areEventsHeld = false;
    this.#parts.tree.trouble.startAfresh();
  }

  /** Null where the ledger could not take the intents: then no file was touched. */
  async show(tasks: readonly TaskName[], isThorough: boolean): Promise<BatchOutcome | null> {
    this.#batch++;
    this.#inFlight = new Set(tasks);
    try {
      const { ledger, tree } = this.#parts;
      if (this.#batch === 1) await tree.files.sweep(EVENTS_FOLDER);
      const readAt = ledger.lastCommit;
      const { plans, failed, postponed } = await planBatch(tasks, { tree, read: ledger.read, isThorough });
      if (!(await this.#record({ plans, batch: this.#batch - 1, isDone: false }))) return null;
      crashPoint('mirror.intents-recorded');
      await this.#perform(plans, readAt);
      const held = tree.trouble.takeHeld();
      this.#unsettled = new Set(tasks).difference(new Set([...postponed, ...held]));
      return { failed: failed + plans.length - this.#settled.length - held.length, postponed, held };
    } finally {
      this.#inFlight = new Set();
    }
  }

  writeEvents(): void {
    const { log, trouble } = this.#parts.tree;
    if (this.#areEventsHeld) return;
    try {
      log.append();
    } catch (error) {
      trouble.failed(error);
      log.forget();
      this.#areEventsHeld = true;
    }
  }

  /** Writes down what was done; with `isDone`, also which troubles are over. */
  async settle(isDone: boolean): Promise<boolean> {
    return await this.#record({ plans: [], batch: this.#batch, isDone });
  }

  async #perform(plans: readonly TaskPlan[], readAt: number): Promise<void> {
    const { files, trouble, slice } = this.#parts.tree;
    for (const plan of plans) {
      if (slice.isOver) await slice.rest();
      const isDone = trouble.watch(() => {
        performPlan(plan, files);
        return true;
      });
      const { taskId, forgotten, hasEnded } = plan;
      if (isDone) this.#settled.push({ taskId, readAt, forgotten, hasEnded });
    }
  }

  /** False where the disk is full: what was done is then told with the next command. */
  async #record({ plans, batch, isDone }: Recording): Promise<boolean> {
    const { trouble, log } = this.#parts.tree;
    const written = log.written ?? this.#recordedSeq;
    const record = {
      settled: this.#settled,
      eventsWritten: written === this.#recordedSeq ? null : written,
      opened: trouble.opened(),
      closedKinds: isDone ? trouble.over() : [],
      intents: plans.flatMap(({ intents }) => intents),
      bases: plans.flatMap(({ base }) => base ?? []),
    };
    const lists = [record.settled, record.opened, record.closedKinds, record.intents];
    if (record.eventsWritten !== null || lists.some((list) => list.length > 0)) {
      if (isRefusal(await this.#parts.ledger.submit(recordMirror, record))) return false;
      crashPoint('mirror.settled');
    }
    this.#settled = [];
    this.#recordedSeq = written;
    trouble.recorded(record);
    const seq = this.#areEventsHeld ? Number.MAX_SAFE_INTEGER : written;
    const tasks = this.#unsettled;
    this.#unsettled = new Set();
    this.#parts.onShown({ batch, tasks, seq });
    return true;
  }
}
