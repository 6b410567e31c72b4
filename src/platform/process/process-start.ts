import { readFileSync } from 'node:fs';

/** Positions of state and start time among the fields of /proc/PID/stat that follow the name in parentheses. */
const STATE = 0;
const START = 19;

/**
 * Start time of a process in clock ticks: together with the pid it identifies one process. Null if the process has
 * ended, even if it is still a zombie.
 */
export function processStart(pid: number): string | null {
  if (process.platform !== 'linux') return isThere(pid) ? 'unknown' : null;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[STATE] === 'Z' || fields[STATE] === 'X' ? null : (fields[START] ?? null);
  } catch {
    // No such process.
    return null;
  }
}

/** Whether that process still runs, and not another one with the same pid. */
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
