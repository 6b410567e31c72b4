import { isRefusal } from '../domain/refusal.ts';
import type { TaskName } from '../domain/task/task.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { lastSeq } from '../ledger/statements/events.ts';
import { crashPoint } from '../platform/process/crash-point.ts';
import { planBatch } from './plan-batch.ts';
import type { TaskPlan } from './plan-task.ts';
import { recordMirror, type SettledTask } from './record-mirror.ts';
import { performPlan } from './tree-files.ts';
import type { TreeParts } from './tree-parts.ts';
import { EVENTS_FOLDER } from './tree-paths.ts';

/** Tasks and events that are written and recorded. */
export interface WrittenBatch {
  readonly batch: number;
  readonly tasks: ReadonlySet<TaskName>;
  /** The last event that is written, or for which an incident is open. */
  readonly seq: number;
}

export interface TreeWriterParts {
  readonly ledger: Ledger;
  readonly tree: TreeParts;
  onShown(shown: WrittenBatch): void;
}

export interface BatchOutcome {
  readonly failed: number;
  /** Tasks for the next batch: this one is full. */
  readonly postponed: readonly TaskName[];
  /** Tasks with an edited file that has to be judged first. */
  readonly held: readonly TaskName[];
}

interface Recording {
  /** The next writes. */
  readonly plans: readonly TaskPlan[];
  /** The number of the last written batch. */
  readonly batch: number;
  readonly isDone: boolean;
}

/**
 * Writes batches of tasks. A batch is at most two commands of the ledger: its intents, before the first write, and its
 * results, which wait for the next batch's command. So the ledger knows the hash of every content that a file may have
 * after a crash.
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

  /** The number of the current or last batch. */
  get batch(): number {
    return this.#batch;
  }

  /** Tasks that are being written or not yet recorded. */
  underWay(): ReadonlySet<TaskName> {
    return this.#inFlight.union(this.#unsettled);
  }

  get hasEventsToWrite(): boolean {
    const { written } = this.#parts.tree.log;
    return !this.#areEventsHeld && (written === null || written < lastSeq(this.#parts.ledger.read));
  }

  /** Tries events again. */
  startAfresh(): void {
    this.#areEventsHeld = false;
    this.#parts.tree.trouble.startAfresh();
  }

  /** Null if the ledger could not record the intents; no file was written then. */
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

  /** Writes all events up to the last of this moment: a caller who waits for a task waits for its events too. */
  async writeEvents(): Promise<void> {
    const { log, trouble, slice } = this.#parts.tree;
    const last = lastSeq(this.#parts.ledger.read);
    while (!this.#areEventsHeld && (log.written === null || log.written < last)) {
      if (slice.isOver) await slice.rest();
      try {
        log.append();
      } catch (error) {
        trouble.failed(error);
        log.forget();
        this.#areEventsHeld = true;
      }
    }
  }

  /** Records the results; with `isDone`, also closes the incidents that are over. */
  async settle(isDone: boolean): Promise<boolean> {
    return await this.#record({ plans: [], batch: this.#batch, isDone });
  }

  async #perform(plans: readonly TaskPlan[], readAt: number): Promise<void> {
    const { files, trouble, slice } = this.#parts.tree;
    for (const plan of plans) {
      if (slice.isOver) await slice.rest();
      const isDone = trouble.guard(() => {
        performPlan(plan, files);
        return true;
      });
      const { taskId, forgotten, hasEnded } = plan;
      if (isDone) this.#settled.push({ taskId, readAt, forgotten, hasEnded });
    }
  }

  /** False if the disk is full: the next command records the results. */
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
