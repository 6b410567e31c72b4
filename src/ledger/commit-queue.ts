import type { DatabaseSync } from 'node:sqlite';
import { COMMANDS_PER_COMMIT_MAX } from '../domain/limits.ts';
import { isRefusal, type Refusal, refuse } from '../domain/refusal.ts';
import type { Task, TaskName } from '../domain/task/task.ts';
import type { EncodeTrace } from '../domain/trace/trace.ts';
import type { Clock } from '../platform/clock.ts';
import type { Ids } from '../platform/ids.ts';
import { crashPoint } from '../platform/process/crash-point.ts';
import { nextTurn } from '../platform/timer.ts';
import { isDiskFull, LedgerFault } from './fault.ts';
import { Tx } from './tx.ts';

/**
 * One change of the ledger. It runs inside the transaction, synchronously, and decides there; time and ids come with
 * the transaction. It refuses before its first write, so that no savepoint is needed.
 */
export type Command<Facts, Result> = (tx: Tx, facts: Facts) => Result | Refusal;

interface Waiting {
  run(tx: Tx): unknown;
  answer(value: unknown): void;
  fail(fault: LedgerFault): void;
}

export interface CommitQueueParts {
  readonly db: DatabaseSync;
  readonly clock: Clock;
  readonly ids: Ids;
  /** The edge's form of the messages that Baton adds to a trace. */
  readonly encodeTrace: EncodeTrace;
  /**
   * Called after each commit that wrote something, with the tasks whose files are now out of date; it must not throw.
   */
  onCommitted(touched: ReadonlySet<TaskName>): void;
  /** A command threw, or the disk failed: memory may differ from disk, so the process must end. */
  onFatal(fault: LedgerFault): void;
}

/**
 * Group commit. Commands that arrive together share one transaction and one fsync; an answer leaves only after COMMIT
 * returned. A throw rolls the whole batch back, fails all of it with a retryable fault and ends the process; only a
 * full disk is answered and survived.
 */
export class CommitQueue {
  readonly #parts: CommitQueueParts;
  readonly #tx: Tx;
  #waiting: Waiting[] = [];
  #isScheduled = false;
  #isDead = false;
  #refusal: Refusal | null = null;
  #fullSinceMs: number | null = null;

  constructor(parts: CommitQueueParts) {
    this.#parts = parts;
    this.#tx = new Tx(parts.db, { now: parts.clock.now(), ids: parts.ids }, parts.encodeTrace);
  }

  /** Answers every command with this refusal from now on; nothing is written any more. */
  refuseAll(refusal: Refusal): void {
    this.#refusal = refusal;
    for (const waiting of this.#waiting.splice(0)) waiting.answer(refusal);
  }

  /** The instant since which changes find no room; null if the last change found some. */
  get fullSinceMs(): number | null {
    return this.#fullSinceMs;
  }

  get lastCommit(): number {
    return this.#tx.marks.commit;
  }

  /** Between commits the cache has the committed rows: a transaction runs without a pause. */
  cachedTask(id: string): Task | undefined {
    return this.#tx.rows.task(id);
  }

  submit<Facts, Result>(command: Command<Facts, Result>, facts: Facts): Promise<Result | Refusal> {
    if (this.#refusal) return Promise.resolve(this.#refusal);
    return new Promise((resolve, reject) => {
      if (this.#isDead) {
        reject(new LedgerFault('commit', 'the ledger has stopped', { retryable: true }));
        return;
      }
      this.#waiting.push({
        run: (tx) => command(tx, facts),
        answer: (value) => resolve(value as Result | Refusal),
        fail: reject,
      });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    nextTurn(() => {
      this.#isScheduled = false;
      this.#commitBatch();
      if (this.#waiting.length > 0) this.#schedule();
    });
  }

  #commitBatch(): void {
    const batch = this.#waiting.splice(0, COMMANDS_PER_COMMIT_MAX);
    if (batch.length === 0 || this.#isDead) return;
    const writesBefore = this.#tx.writes;
    let answers: unknown[];
    try {
      answers = this.#runInTransaction(batch);
    } catch (error) {
      this.#rollBack();
      this.#answerFailure(batch, error);
      return;
    }
    if (this.#tx.writes !== writesBefore) this.#fullSinceMs = null;
    const touched = this.#tx.committed();
    batch.forEach((waiting, at) => {
      waiting.answer(answers[at]);
    });
    if (this.#tx.writes !== writesBefore) this.#parts.onCommitted(touched);
  }

  #runInTransaction(batch: readonly Waiting[]): unknown[] {
    const { db, clock, ids } = this.#parts;
    db.exec('BEGIN IMMEDIATE');
    this.#tx.begin({ now: clock.now(), ids });
    const answers = batch.map((waiting) => this.#runOne(waiting));
    this.#tx.flush();
    crashPoint('commit.before');
    db.exec('COMMIT');
    crashPoint('commit.after');
    return answers;
  }

  #runOne(waiting: Waiting): unknown {
    const writesBefore = this.#tx.writes;
    const answer = waiting.run(this.#tx);
    if (isRefusal(answer) && this.#tx.writes !== writesBefore)
      throw new Error('a command refused after it had written');
    return answer;
  }

  #rollBack(): void {
    this.#tx.forget();
    try {
      this.#parts.db.exec('ROLLBACK');
    } catch {
      // SQLite has rolled back by itself, or never began.
    }
  }

  #answerFailure(batch: readonly Waiting[], error: unknown): void {
    if (isDiskFull(error)) {
      this.#fullSinceMs ??= this.#parts.clock.now().wallMs;
      const refusal = refuse('storage_full', 'the disk is full');
      for (const waiting of batch) waiting.answer(refusal);
      return;
    }
    this.#isDead = true;
    const fault = new LedgerFault('commit', 'a command failed; nothing of its batch was kept', {
      retryable: true,
      cause: error,
    });
    for (const waiting of [...batch, ...this.#waiting.splice(0)]) waiting.fail(fault);
    this.#parts.onFatal(fault);
  }
}
