import { TASK_NUMBER_MAX } from '../../domain/limits.ts';
import type { TaskName } from '../../domain/task/task.ts';
import type { Tx } from '../tx.ts';

const DAY_MS = 24 * 3_600_000;

/** common:task-names: numbers 001–999 of today, then of the next day with room, which a full day records. */
export function nextTaskName(tx: Tx, wallMs: number): TaskName {
  const today = dayOf(wallMs);
  let day = today;
  for (;;) {
    const { last, spillDay } = tx.days.of(day);
    if (last < TASK_NUMBER_MAX) {
      takeNumber(tx, day, last + 1);
      if (day !== today) tx.days.set(today, { ...tx.days.of(today), spillDay: day });
      return `TASK-${day}-${String(last + 1).padStart(3, '0')}` as TaskName;
    }
    day = spillDay ?? dayOf(Date.parse(`${day}T00:00:00Z`) + DAY_MS);
  }
}

/** Reserves a name that was given elsewhere, so that it is never given again. */
export function reserveTaskName(tx: Tx, name: TaskName): void {
  const day = name.slice(5, 15);
  const number = Number(name.slice(16));
  if (number > tx.days.of(day).last) takeNumber(tx, day, number);
}

function takeNumber(tx: Tx, day: string, number: number): void {
  tx.writes++;
  tx.days.set(day, { ...tx.days.of(day), last: number });
}

function dayOf(wallMs: number): string {
  return new Date(wallMs).toISOString().slice(0, 10);
}
