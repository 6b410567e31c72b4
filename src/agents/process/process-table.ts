import { readdirSync, readFileSync } from 'node:fs';
import type { ProcessIdentity } from '../sandbox/sandbox.ts';

/** One line of the system's table of processes. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly startTicks: number;
}

const DEAD = ['Z', 'X'];

/** Null where there is no such process, or only what its parent has still to notice. */
export function readProcess(pid: number): ProcessRow | null {
  const row = readRow(pid);
  return row && DEAD.includes(row.state) ? null : row;
}

function readRow(pid: number): (ProcessRow & { readonly state: string }) | null {
  const stat = read(`/proc/${pid}/stat`);
  if (stat === null) return null;
  // The name in parentheses may hold anything; what follows the last one does not.
  const [state = '', parent, group, session, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const row = { pid, state, parent: Number(parent), group: Number(group), session: Number(session) };
  return { ...row, startTicks: Number(rest[15]) };
}

export function readProcesses(): ProcessRow[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readProcess(Number(name)))
    .filter((row) => row !== null);
}

/** In the order they were started. Empty where the system does not tell. */
export function childrenOf(pid: number): number[] {
  let threads: string[];
  try {
    threads = readdirSync(`/proc/${pid}/task`);
  } catch {
    // It has ended.
    return [];
  }
  const lists = threads.map((thread) => read(`/proc/${pid}/task/${thread}/children`) ?? '');
  return lists.join(' ').split(' ').filter(Boolean).map(Number);
}

/** Whether the process was started with this variable. Others' processes cannot be asked: no. */
export function startedWith(pid: number, variable: string): boolean {
  const environment = read(`/proc/${pid}/environ`) ?? '';
  return environment.split('\0').includes(variable);
}

/** Also of one that has ended, until its parent notices. */
export function identify(pid: number): ProcessIdentity | null {
  const row = readRow(pid);
  return row && { pid, startTicks: row.startTicks, bootId: bootId() };
}

/** Whether it is this very process that still runs. */
export function isRunning(identity: ProcessIdentity): boolean {
  return identity.bootId === bootId() && readProcess(identity.pid)?.startTicks === identity.startTicks;
}

/** To this very process or to nobody (P-S5). Whether there was one. */
export function signalProcess(identity: ProcessIdentity, signal: NodeJS.Signals): boolean {
  if (!isRunning(identity)) return false;
  try {
    process.kill(identity.pid, signal);
    return true;
  } catch {
    // It ended in between, or is not ours to end.
    return false;
  }
}

function bootId(): string {
  return (read('/proc/sys/kernel/random/boot_id') ?? '').trim();
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // Gone, or not ours to read.
    return null;
  }
}
