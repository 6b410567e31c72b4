import { type ChildProcess, type IOType, type SpawnOptions, spawn } from 'node:child_process';
import { openSync, readdirSync, readFileSync } from 'node:fs';
import type { Stream } from 'node:stream';
import { awaitDescriptors } from '../../platform/process/machine-limits.ts';

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface SpawnedProcess {
  readonly kind: 'spawned';
  readonly child: ChildProcess;
  readonly exited: Promise<Exit>;
}

type SpawnFailure = { readonly kind: 'failed'; readonly reason: string };

export interface ProcessOptions extends Omit<SpawnOptions, 'stdio'> {
  readonly stdio: readonly Stdio[];
}

/**
 * Starts a process with the given descriptors and none that this process inherited. Every error of the system (ENOENT,
 * EACCES, EMFILE, E2BIG …) is an answer; nothing is thrown.
 */
export async function spawnProcess(
  file: string,
  args: readonly string[],
  options: ProcessOptions,
): Promise<SpawnedProcess | SpawnFailure> {
  const lack = await awaitDescriptors(options.stdio.length);
  if (lack !== null) return failed(lack);
  let child: ChildProcess;
  try {
    child = spawn(file, args, { ...options, stdio: withoutInherited(options.stdio) });
  } catch (error) {
    return failed(error);
  }
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  return new Promise((resolve) => {
    child.once('spawn', () => resolve({ kind: 'spawned', child, exited }));
    // Stays on: a signal that could not be sent is an 'error' too, and the exit decides.
    child.on('error', (error) => resolve(failed(error)));
  });
}

function failed(error: unknown): SpawnFailure {
  const { code, message } = error as NodeJS.ErrnoException;
  return { kind: 'failed', reason: code ? `the system did not start it (${code})` : message };
}

const CLOSE_ON_EXEC = 0o2000000;

type Stdio = IOType | Stream | number | null | undefined;

let blanked: readonly number[] | null = null;
let blank = -1;

/**
 * Descriptors that this process inherited would reach every process that it starts: Node marks only its own to be closed.
 * Each of the others, which do not change while this process runs, is replaced by /dev/null.
 */
export function withoutInherited(stdio: readonly Stdio[]): Stdio[] {
  blanked ??= findInherited();
  const all = [...stdio];
  for (const fd of blanked) {
    if (fd < stdio.length) continue;
    while (all.length < fd) all.push('ignore');
    all[fd] = blank;
  }
  return all;
}

function findInherited(): number[] {
  if (process.platform !== 'linux') return [];
  const inherited = readdirSync('/proc/self/fd')
    .map(Number)
    .filter((fd) => fd > 2 && isInherited(fd));
  if (inherited.length > 0) blank = openSync('/dev/null', 'r');
  return inherited;
}

function isInherited(fd: number): boolean {
  try {
    const flags = /^flags:\s+(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    // Closed since.
    return false;
  }
}
