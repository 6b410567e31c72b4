import { readdirSync, readFileSync } from 'node:fs';
import type { ProcessIdentity } from '../sandbox/sandbox.ts';

/** One process as /proc shows it. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly startTicks: number;
}

const DEAD = ['Z', 'X'];

/** Null if there is no such process or it is a zombie. */
export function readProcess(pid: number): ProcessRow | null {
  const row = readRow(pid);
  return row && DEAD.includes(row.state) ? null : row;
}

function readRow(pid: number): (ProcessRow & { readonly state: string }) | null {
  const stat = read(`/proc/${pid}/stat`);
  if (stat === null) return null;
  // The name in parentheses may hold anything, so the fields are read after the last one.
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

/** In the order they were started. Empty where the system has no list of children. */
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

/** Whether the process was started with this `NAME=value`. False for processes of other users. */
export function startedWith(pid: number, variable: string): boolean {
  const environment = read(`/proc/${pid}/environ`) ?? '';
  return environment.split('\0').includes(variable);
}

/** Zombies included. */
export function identify(pid: number): ProcessIdentity | null {
  const row = readRow(pid);
  return row && { pid, startTicks: row.startTicks, bootId: bootId() };
}

/** Whether this very process still runs, not another with its pid. */
export function isRunning(identity: ProcessIdentity): boolean {
  return identity.bootId === bootId() && readProcess(identity.pid)?.startTicks === identity.startTicks;
}

/** Signals this very process, never another that reused its pid. False if it is gone. */
export function signalProcess(identity: ProcessIdentity, signal: NodeJS.Signals): boolean {
  if (!isRunning(identity)) return false;
  try {
    process.kill(identity.pid, signal);
    return true;
  } catch {
    // It ended meanwhile, or belongs to another user.
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
    // Gone, or unreadable for this user.
    return null;
  }
}
