import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import type { Now } from '../domain/now.ts';
import type { TaskName } from '../domain/task/task.ts';
import type { EncodeTrace } from '../domain/trace/trace.ts';
import type { Ids } from '../platform/ids.ts';
import { DayNumbers } from './day-numbers.ts';
import { MirrorMarks } from './mirror-marks.ts';
import { type NewRow, PendingRows, PendingUpdates, type RowUpdate } from './pending-rows.ts';
import { RowCache } from './row-cache.ts';

export type Row = Record<string, SQLOutputValue>;
/** The values of a row in the order of its columns: reading it takes half the time of an object. */
export type Tuple = readonly SQLOutputValue[];

/** Reads through one connection; prepares each statement once. */
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
    return this.prepareTuples(sql).get(...values) as Tuple | undefined;
  }

  tuples(sql: string, ...values: SQLInputValue[]): Tuple[] {
    return this.prepareTuples(sql).all(...values) as unknown as Tuple[];
  }

  protected prepareTuples(sql: string): StatementSync {
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

const UNMIRRORED: NewRow = {
  table: 'unmirrored',
  into: 'INSERT OR IGNORE INTO unmirrored (task_id) VALUES',
  row: '(?)',
};

/** The one instant of all commands of a transaction, and the generator of their ids. */
export interface Moment {
  readonly now: Now;
  readonly ids: Ids;
}

/**
 * The one open transaction. It carries its moment, so that no command reads a clock; it counts its writes, so that a
 * refusal after a write is detected as a bug; it delays new rows and updates, to write those of a batch together and
 * each row once. A statement that names their table flushes them first, so no command can miss them.
 */
export class Tx extends Reader {
  writes = 0;
  moment: Moment;
  /** Tasks whose file in the tree is now out of date. */
  readonly touched = new Set<TaskName>();
  readonly rows = new RowCache();
  readonly marks = new MirrorMarks();
  readonly days = new DayNumbers(this);
  /** Writes a message that Baton makes itself in the form in which traces are stored. */
  readonly encodeTrace: EncodeTrace;
  readonly #pending = new Map<NewRow, PendingRows>();
  readonly #updates = new Map<RowUpdate, PendingUpdates>();
  readonly #counts = new Map<string, number>();
  #lastSeq: number | null = null;

  constructor(db: DatabaseSync, moment: Moment, encodeTrace: EncodeTrace) {
    super(db);
    this.moment = moment;
    this.encodeTrace = encodeTrace;
    this.rows.keepIfUnchanged(this.#dataVersion());
  }

  write(sql: string, ...values: SQLInputValue[]): void {
    this.writes++;
    this.prepare(sql).run(...values);
  }

  /** Adds a row; it is written before COMMIT at the latest. */
  insert(what: NewRow, ...values: SQLInputValue[]): void {
    this.writes++;
    let rows = this.#pending.get(what);
    if (!rows) {
      rows = new PendingRows(what);
      this.#pending.set(what, rows);
    }
    rows.add(values);
    if (rows.isFull) this.#write(rows);
  }

  /** Updates a row by its id, the last value; it is written before COMMIT at the latest. */
  update(what: RowUpdate, ...values: SQLInputValue[]): void {
    this.writes++;
    let rows = this.#updates.get(what);
    if (!rows) {
      rows = new PendingUpdates(what);
      this.#updates.set(what, rows);
    }
    rows.add(values);
  }

  /** Changes rows at once; returns their number. */
  change(sql: string, ...values: SQLInputValue[]): number {
    this.writes++;
    return Number(this.prepare(sql).run(...values).changes);
  }

  /** A number that commands of this transaction count up; read where none of them has used it yet. */
  counted(name: string, read: () => number): number {
    const known = this.#counts.get(name);
    if (known !== undefined) return known;
    const found = read();
    this.#counts.set(name, found);
    return found;
  }

  count(name: string, value: number): void {
    this.#counts.set(name, value);
  }

  forgetCounts(): void {
    this.#counts.clear();
  }

  /** The next seq of the log, without a hole: one process writes, and a rollback resets the number. */
  nextSeq(): number {
    this.#lastSeq ??= Number(this.tuple('SELECT max(seq) FROM events')?.[0] ?? 0);
    return ++this.#lastSeq;
  }

  /** For a ledger that has lost events: numbers up to this one were given before, and are not given again. */
  skipSeq(seq: number): void {
    this.#lastSeq = Math.max(seq, this.nextSeq() - 1);
  }

  /** Call before the first command of a batch: clears the caches if another connection has written. */
  begin(moment: Moment): void {
    this.moment = moment;
    this.touched.clear();
    this.#lastSeq = null;
    this.#counts.clear();
    this.marks.commit++;
    if (!this.rows.keepIfUnchanged(this.#dataVersion())) this.marks.forget();
  }

  /** Call before COMMIT: writes all delayed rows. */
  flush(): void {
    for (const task of this.touched) if (!this.marks.has(task)) this.insert(UNMIRRORED, task);
    this.days.flush();
    for (const rows of this.#pending.values()) this.#write(rows);
    for (const rows of this.#updates.values()) this.#write(rows);
  }

  /** Call after COMMIT; returns the tasks it touched. */
  committed(): ReadonlySet<TaskName> {
    const touched = new Set(this.touched);
    this.touched.clear();
    this.marks.keep(touched);
    return touched;
  }

  /** Call after a rollback: drops everything that was only in memory. */
  forget(): void {
    this.touched.clear();
    this.#counts.clear();
    this.rows.clear();
    this.days.clear();
    for (const rows of this.#pending.values()) rows.clear();
    for (const rows of this.#updates.values()) rows.clear();
  }

  protected override prepare(sql: string): StatementSync {
    this.#settle(sql);
    return super.prepare(sql);
  }

  protected override prepareTuples(sql: string): StatementSync {
    this.#settle(sql);
    return super.prepareTuples(sql);
  }

  #dataVersion(): number {
    return Number(this.tuple('PRAGMA data_version')?.[0] ?? 0);
  }

  #settle(sql: string): void {
    // New rows come first: an update may be of one of them.
    for (const rows of this.#pending.values()) if (rows.isMissedBy(sql)) this.#write(rows);
    for (const rows of this.#updates.values()) if (rows.isMissedBy(sql)) this.#write(rows);
  }

  // Already counted by `insert` and `update`.
  #write(rows: PendingRows | PendingUpdates): void {
    rows.flush((sql, values) => super.prepare(sql).run(...values));
  }
}
