import type { SQLInputValue } from 'node:sqlite';

/** How to insert into a table: `INSERT INTO … VALUES`, and the placeholders of one row. */
export interface NewRow {
  readonly table: string;
  readonly into: string;
  readonly row: string;
}

/** Writes values with a statement. */
type Write = (sql: string, values: readonly SQLInputValue[]) => void;

/** Rows per statement, largest first: each statement is prepared once. */
const CHUNKS: readonly number[] = [32, 8, 1];

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
        write(sql, values.slice(from, to));
        from = to;
      }
    }
  }

  clear(): void {
    this.#values = [];
    this.#rows = 0;
  }
}
