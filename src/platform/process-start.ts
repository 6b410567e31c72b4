import { readFileSync } from 'node:fs';

/** State and start of a process, among the fields that follow its name in parentheses. */
const STATE = 0;
const START = 19;

/**
 * When a process began, in the system's own count: with its pid it names one process for good. Null where it has
 * ended, also where its parent has not noticed yet.
 */
export function processStart(pid: number): string | null {
  if (process.platform !== 'linux') return isThere(pid) ? 'unknown' : null;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[STATE] === 'Z' || fields[STATE] === 'X' ? null : (fields[START] ?? null);
  } catch {
    // There is no such process.
    return null;
  }
}

/** Whether it is this very process that still runs, and not another that got its number. */
export function isSameProcess(pid: number, start: string): boolean {
  return processStart(pid) === start;
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
