import type { SQLInputValue, SQLOutputValue } from 'node:sqlite';

/** What it needs of the transaction. */
interface Writer {
  writes: number;
  tuple(sql: string): readonly SQLOutputValue[] | undefined;
  write(sql: string, ...values: SQLInputValue[]): void;
}

const COLUMNS = 7;
/** From many rows a statement to one: each is prepared once. */
const CHUNKS: readonly number[] = [32, 8, 1];

/**
 * The events of the open transaction that are not written yet. A batch writes them together, many rows a statement;
 * their numbers are given here, without a hole: one process writes, and what is rolled back is forgotten.
 */
export class PendingEvents {
  readonly #tx: Writer;
  #values: SQLInputValue[] = [];
  #lastSeq: number | null = null;

  constructor(tx: Writer) {
    this.#tx = tx;
  }

  /** Takes a row without its number and gives the number. */
  add(
    ...[id, type, at, actor, taskId, payload]: readonly [string, string, number, string, string | null, string]
  ): number {
    this.#lastSeq ??= Number(this.#tx.tuple('SELECT max(seq) FROM events')?.[0] ?? 0);
    this.#lastSeq++;
    this.#tx.writes++;
    this.#values.push(this.#lastSeq, id, type, at, actor, taskId, payload);
    return this.#lastSeq;
  }

  /** Before COMMIT, and before anything in the transaction reads events. */
  flush(): void {
    const values = this.#values;
    this.#values = [];
    let from = 0;
    for (const rows of CHUNKS) {
      for (const size = rows * COLUMNS; values.length - from >= size; from += size) {
        this.#tx.write(insertRows(rows), ...values.slice(from, from + size));
      }
    }
    this.#lastSeq = null;
  }

  clear(): void {
    this.#values = [];
    this.#lastSeq = null;
  }
}

const STATEMENTS = new Map(CHUNKS.map((rows) => [rows, statementFor(rows)]));

function insertRows(rows: number): string {
  return STATEMENTS.get(rows) ?? statementFor(rows);
}

function statementFor(rows: number): string {
  const row = `(${'?, '.repeat(COLUMNS - 1)}?)`;
  return `INSERT INTO events (seq, id, type, at, actor, task_id, payload) VALUES ${Array(rows).fill(row).join(', ')}`;
}
