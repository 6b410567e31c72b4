import type { DatabaseSync } from 'node:sqlite';
import { isRefusal, type Refusal, refuse } from '../domain/refusal.ts';
import type { TaskName } from '../domain/task/task.ts';
import type { TaskStatus } from '../domain/task/task-lifecycle.ts';
import type { Clock } from '../platform/clock.ts';
import type { Ids } from '../platform/ids.ts';
import { type Command, CommitQueue, type CommitQueueParts } from './commit-queue.ts';
import { openConnection } from './connection.ts';
import type { LedgerFault } from './fault.ts';
import { insertAnswer, selectAnswer } from './statements/answers.ts';
import { selectTaskStatus } from './statements/tasks.ts';
import { Reader } from './tx.ts';

export interface LedgerParts {
  readonly file: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly encodeTrace: CommitQueueParts['encodeTrace'];
  onFatal(fault: LedgerFault): void;
  /** Reads an existing ledger before the first write, and throws if it must not be used. */
  inspect?(read: Reader): void;
}

type CommitListener = (touched: ReadonlySet<TaskName>) => void;

/**
 * The source of truth. One command is atomic: its state and its events are one transaction. Commands that arrive
 * together share a commit, and an answer is on disk before it leaves.
 */
export class Ledger {
  readonly read: Reader;
  readonly #db: DatabaseSync;
  readonly #queue: CommitQueue;
  readonly #listeners = new Set<CommitListener>();

  constructor(parts: LedgerParts) {
    this.#db = openConnection(parts.file, parts.inspect);
    this.read = new Reader(this.#db);
    this.#queue = new CommitQueue({
      db: this.#db,
      clock: parts.clock,
      ids: parts.ids,
      encodeTrace: parts.encodeTrace,
      onFatal: parts.onFatal,
      onCommitted: (touched) => {
        for (const listener of this.#listeners) listener(touched);
      },
    });
  }

  submit<Facts, Result>(command: Command<Facts, Result>, facts: Facts): Promise<Result | Refusal> {
    return this.#queue.submit(command, facts);
  }

  /**
   * Repeats the first answer for the same key and request, without a second change; answers are stored for seven days.
   * Without a key every request counts.
   */
  submitOnce<Facts, Result>(
    key: string | undefined,
    command: Command<Facts, Result>,
    facts: Facts,
  ): Promise<Result | Refusal> {
    if (key === undefined) return this.submit(command, facts);
    const request = JSON.stringify(facts);
    return this.#queue.submit<Facts, Result>((tx, given) => {
      const before = selectAnswer(tx, key);
      if (before && before.request !== request)
        return refuse('idempotency_key_reused', `the key ${key} was used for another request`);
      if (before) return JSON.parse(before.answer) as Result;
      const answer = command(tx, given);
      if (!isRefusal(answer))
        insertAnswer(tx, { key, request, answer: JSON.stringify(answer), at: tx.moment.now.wallMs });
      return answer;
    }, facts);
  }

  /** The stored answer to a request with this key, for a caller who would refuse the request by now; null if there is none. */
  answerOnce<Result>(key: string | undefined, facts: unknown): Result | Refusal | null {
    const before = key === undefined ? null : selectAnswer(this.read, key);
    if (before === null) return null;
    if (before.request !== JSON.stringify(facts))
      return refuse('idempotency_key_reused', `the key ${key} was used for another request`);
    return JSON.parse(before.answer) as Result;
  }

  /**
   * Calls the listener after each commit that wrote something, with its touched tasks; returns a function that removes
   * it.
   */
  onCommitted(listener: CommitListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The number of the last commit in this process: rows read now were written in it or before. */
  get lastCommit(): number {
    return this.#queue.lastCommit;
  }

  /** The status of a task as of the last commit, or null if there is no such task. */
  taskStatus(id: string): TaskStatus | null {
    return this.#queue.cachedTask(id)?.status ?? selectTaskStatus(this.read, id);
  }

  /** The instant since which the disk has no room for changes; null if the last change found some. */
  get fullSinceMs(): number | null {
    return this.#queue.fullSinceMs;
  }

  /** For a damaged file: reads still work. */
  refuseWrites(refusal: Refusal): void {
    this.#queue.refuseAll(refusal);
  }

  /** The connection, for backups and checks; never write through it. */
  get database(): DatabaseSync {
    return this.#db;
  }

  close(): void {
    this.#db.close();
  }
}
