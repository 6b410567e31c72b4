import type { SQLInputValue, SQLOutputValue } from 'node:sqlite';

/** The part of the transaction that it uses. */
interface Writer {
  tuple(sql: string, ...values: SQLInputValue[]): readonly SQLOutputValue[] | undefined;
  write(sql: string, ...values: SQLInputValue[]): void;
}

/** The last number given for a day, and, once the day is full, the day that had room. */
export interface DayNumber {
  readonly last: number;
  readonly spillDay: string | null;
}

const SELECT_DAY = 'SELECT last, spill_day FROM task_names WHERE day = ?';
const UPSERT_DAY = `INSERT INTO task_names (day, last, spill_day) VALUES (?, ?, ?)
  ON CONFLICT DO UPDATE SET last = excluded.last, spill_day = excluded.spill_day`;
const UNUSED: DayNumber = { last: 0, spillDay: null };

/** Numbers of task names within the open transaction: each day is read once, and written once before COMMIT. */
export class DayNumbers {
  readonly #tx: Writer;
  readonly #days = new Map<string, DayNumber>();
  readonly #changed = new Set<string>();

  constructor(tx: Writer) {
    this.#tx = tx;
  }

  of(day: string): DayNumber {
    let known = this.#days.get(day);
    if (!known) {
      const tuple = this.#tx.tuple(SELECT_DAY, day);
      known = tuple ? { last: tuple[0] as number, spillDay: tuple[1] as string | null } : UNUSED;
      this.#days.set(day, known);
    }
    return known;
  }

  set(day: string, number: DayNumber): void {
    this.#days.set(day, number);
    this.#changed.add(day);
  }

  /** Call before COMMIT. */
  flush(): void {
    for (const day of this.#changed) {
      const { last, spillDay } = this.of(day);
      this.#tx.write(UPSERT_DAY, day, last, spillDay);
    }
    this.clear();
  }

  clear(): void {
    this.#days.clear();
    this.#changed.clear();
  }
}
