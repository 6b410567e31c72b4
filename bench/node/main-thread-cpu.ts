import { readFileSync } from 'node:fs';

/** Linux tells the time of threads in hundredths of a second, whatever its own clock. */
const MICROS_PER_TICK = 10_000;
const USER_AT = 11;
const SYSTEM_AT = 12;

/** The processor time of a process's first thread, which is all that a node has for its answers; NaN where no one tells. */
export function mainThreadCpuMicros(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'utf8');
    // After the name of the program, which may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[USER_AT]) + Number(fields[SYSTEM_AT])) * MICROS_PER_TICK;
  } catch {
    // No /proc here.
    return Number.NaN;
  }
}
