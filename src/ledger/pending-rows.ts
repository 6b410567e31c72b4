import type { SQLInputValue } from 'node:sqlite';

/** How to insert into a table: `INSERT INTO … VALUES`, and the placeholders of one row. */
export interface NewRow {
  readonly table: string;
  readonly into: string;
  readonly row: string;
}

/** How to update one row of a table by its id, the last placeholder. It sets columns to values, whatever they were. */
export interface RowUpdate {
  readonly table: string;
  readonly sql: string;
}

/** Writes values with a statement. */
type Write = (sql: string, values: readonly SQLInputValue[]) => void;

const ROWS_PER_STATEMENT_MAX = 32;
/** Rows per statement, largest first: each statement is prepared once. */
const CHUNKS: readonly number[] = [ROWS_PER_STATEMENT_MAX, 8, 1];

/** New rows of one table that the open transaction has not written yet; many are written by one statement. */
export class PendingRows {
  readonly #statements: ReadonlyArray<readonly [rows: number, sql: string]>;
  readonly #table: string;
  #values: SQLInputValue[] = [];
  #rows = 0;

  constructor({ table, into, row }: NewRow) {
    this.#table = table;
    this.#statements = CHUNKS.map((rows) => [rows, `${into} ${Array(rows).fill(row).join(', ')}`]);
  }

  add(values: readonly SQLInputValue[]): void {
    for (const value of values) this.#values.push(value);
    this.#rows++;
  }

  /** Enough rows for the largest statement: waiting for more would only let their values go cold. */
  get isFull(): boolean {
    return this.#rows === ROWS_PER_STATEMENT_MAX;
  }

  /** Whether a statement may read the table, and so would miss its pending rows. A false positive only costs time. */
  isMissedBy(sql: string): boolean {
    return this.#rows > 0 && sql.includes(this.#table);
  }

  flush(write: Write): void {
    const values = this.#values;
    let left = this.#rows;
    const columns = values.length / left;
    this.clear();
    let from = 0;
    for (const [rows, sql] of this.#statements) {
      for (; left >= rows; left -= rows) {
        const to = from + rows * columns;
        write(sql, from === 0 && to === values.length ? values : values.slice(from, to));
        from = to;
      }
    }
  }

  clear(): void {
    this.#values = [];
    this.#rows = 0;
  }
}

/** Updates of one table that the open transaction has not written yet. Of several to one row, the last is written. */
export class PendingUpdates {
  readonly #update: RowUpdate;
  readonly #values = new Map<SQLInputValue, readonly SQLInputValue[]>();

  constructor(update: RowUpdate) {
    this.#update = update;
  }

  /** The last value is the id. */
  add(values: readonly SQLInputValue[]): void {
    this.#values.set(values.at(-1) ?? null, values);
  }

  isMissedBy(sql: string): boolean {
    return this.#values.size > 0 && sql.includes(this.#update.table);
  }

  flush(write: Write): void {
    for (const values of this.#values.values()) write(this.#update.sql, values);
    this.clear();
  }

  clear(): void {
    this.#values.clear();
  }
}
