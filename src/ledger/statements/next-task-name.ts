import { TASK_NUMBER_MAX } from '../../domain/limits.ts';
import type { TaskName } from '../../domain/task.ts';
import type { Tx } from '../tx.ts';

const DAY_MS = 24 * 3_600_000;
const SELECT_DAY = 'SELECT last, spill_day FROM task_names WHERE day = ?';
const NO_DAY = [0, null] as const;

/** D-G9: the day's numbers 001–999, then the next day that has room; a full day remembers where room was found. */
export function nextTaskName(tx: Tx, wallMs: number): TaskName {
  const today = dayOf(wallMs);
  let day = today;
  let remembered: string | null = null;
  for (;;) {
    const [last, spillDay] = (tx.tuple(SELECT_DAY, day) ?? NO_DAY) as readonly [number, string | null];
    if (day === today) remembered = spillDay;
    if (last < TASK_NUMBER_MAX) {
      takeNumber(tx, day, last + 1);
      if (day !== today && day !== remembered)
        tx.write('UPDATE task_names SET spill_day = ? WHERE day = ?', day, today);
      return `TASK-${day}-${String(last + 1).padStart(3, '0')}` as TaskName;
    }
    day = spillDay ?? dayOf(Date.parse(`${day}T00:00:00Z`) + DAY_MS);
  }
}

/** A name that was given elsewhere is never given again here. */
export function reserveTaskName(tx: Tx, name: TaskName): void {
  const day = name.slice(5, 15);
  const last = Number(tx.one('SELECT last FROM task_names WHERE day = ?', day)?.last ?? 0);
  const number = Number(name.slice(16));
  if (number > last) takeNumber(tx, day, number);
}

function takeNumber(tx: Tx, day: string, number: number): void {
  tx.write(
    'INSERT INTO task_names (day, last) VALUES (?, ?) ON CONFLICT DO UPDATE SET last = excluded.last',
    day,
    number,
  );
}

function dayOf(wallMs: number): string {
  return new Date(wallMs).toISOString().slice(0, 10);
}
