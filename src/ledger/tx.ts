import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import type { Now } from '../domain/now.ts';
import type { TaskName } from '../domain/task.ts';
import type { Ids } from '../platform/ids.ts';
import { PendingEvents } from './pending-events.ts';
import { RowCache } from './row-cache.ts';

export type Row = Record<string, SQLOutputValue>;
/** A row as its values in the order of the columns: had in half the time of an object. */
export type Tuple = readonly SQLOutputValue[];

/** Reads of one connection, each statement prepared once. */
export class Reader {
  protected readonly db: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();
  readonly #preparedTuples = new Map<string, StatementSync>();

  constructor(db: DatabaseSync) {
    this.db = db;
  }

  one(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.prepare(sql).get(...values);
  }

  all(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.prepare(sql).all(...values);
  }

  tuple(sql: string, ...values: SQLInputValue[]): Tuple | undefined {
    return this.#prepareTuples(sql).get(...values) as Tuple | undefined;
  }

  tuples(sql: string, ...values: SQLInputValue[]): Tuple[] {
    return this.#prepareTuples(sql).all(...values) as unknown as Tuple[];
  }

  #prepareTuples(sql: string): StatementSync {
    let statement = this.#preparedTuples.get(sql);
    if (!statement) {
      statement = this.db.prepare(sql);
      statement.setReturnArrays(true);
      this.#preparedTuples.set(sql, statement);
    }
    return statement;
  }

  protected prepare(sql: string): StatementSync {
    let statement = this.#prepared.get(sql);
    if (!statement) {
      statement = this.db.prepare(sql);
      this.#prepared.set(sql, statement);
    }
    return statement;
  }
}

/** When the commands of a transaction run: one instant for all of them, and the maker of their ids. */
export interface Moment {
  readonly now: Now;
  readonly ids: Ids;
}

/**
 * The one open transaction. It carries its moment, so that no command asks a clock; it counts its writes, so that a
 * refusal after a write is noticed as the bug it is; it holds events back to write those of a batch together.
 */
export class Tx extends Reader {
  writes = 0;
  moment: Moment;
  /** Tasks whose file in the tree is now out of date. */
  readonly touched = new Set<TaskName>();
  readonly events = new PendingEvents(this);
  readonly rows = new RowCache();

  constructor(db: DatabaseSync, moment: Moment) {
    super(db);
    this.moment = moment;
  }

  write(sql: string, ...values: SQLInputValue[]): void {
    this.writes++;
    this.prepare(sql).run(...values);
  }

  /** Before the first command of a batch: what another connection changed is no longer known. */
  begin(moment: Moment): void {
    this.moment = moment;
    this.touched.clear();
    this.rows.keepIfUnchanged(Number(this.tuple('PRAGMA data_version')?.[0] ?? 0));
  }

  /** After a rollback: nothing that was only in memory may outlive it. */
  forget(): void {
    this.touched.clear();
    this.events.clear();
    this.rows.clear();
  }
}
