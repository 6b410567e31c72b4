import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { PROCESS_START_MS_MAX, SANDBOX_STATUS_BYTES_MAX } from '../../../domain/limits.ts';
import type { Timer } from '../../../platform/timer.ts';
import { waitAtMost } from '../../../platform/wait-at-most.ts';
import type { Launched } from '../../process/launch.ts';
import { childrenOf, identify } from '../../process/process-table.ts';
import type { ProcessIdentity } from '../sandbox.ts';

/** The descriptors between Baton and bubblewrap; none of them reaches the program inside. */
export const GATE = { status: 3, release: 4, arguments: 5, filter: 6 } as const;
export const GATE_STDIO = ['pipe', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe'] as const;

/** The root of the sandbox, sealed: the last thing that bubblewrap does before it waits. */
const SEALED_ROOT = / \/newroot \/ ro,/;

export type Built =
  /** The first process of the sandbox; it waits. */
  { readonly kind: 'built'; readonly first: ProcessIdentity } | { readonly kind: 'failed'; readonly reason: string };

/** Hands bubblewrap what it is to do. */
export function instruct(child: ChildProcess, words: readonly string[], filter: Buffer): void {
  const send = (fd: number, bytes: string | Buffer) => {
    const pipe = child.stdio[fd] as Writable;
    // Its exit tells more than a broken pipe.
    pipe.on('error', () => pipe.destroy());
    pipe.end(bytes);
  };
  child.stdio[GATE.release]?.on('error', () => {});
  send(GATE.arguments, words.map((word) => `${word}\0`).join(''));
  send(GATE.filter, filter);
}

/** Until the sandbox stands, or bubblewrap says what went wrong. */
export async function awaitBuilt(launched: Launched, timer: Timer): Promise<Built> {
  const { child } = launched;
  let isLate = false;
  const cancel = timer.after(PROCESS_START_MS_MAX, () => {
    isLate = true;
    child.kill('SIGKILL');
  });
  const first = await firstProcess(launched);
  const isBuilt = first && (await untilTrue(child, timer, () => SEALED_ROOT.test(mountsOf(first.pid))));
  cancel();
  if (first && isBuilt) return { kind: 'built', first };
  child.kill('SIGKILL');
  return { kind: 'failed', reason: `bubblewrap: ${isLate ? 'took too long' : await complaint(child)}` };
}

/** The process begins. Null where it was over before it was seen. */
export async function release(
  child: ChildProcess,
  first: ProcessIdentity,
  timer: Timer,
): Promise<ProcessIdentity | null> {
  (child.stdio[GATE.release] as Writable).end('go');
  let agent: ProcessIdentity | null = null;
  await untilTrue(child, timer, () => {
    const [pid] = childrenOf(first.pid);
    agent = pid === undefined ? null : identify(pid);
    return agent !== null;
  });
  return agent;
}

/** Closes all that is between the two. */
export function closeGate(child: ChildProcess): void {
  for (const pipe of child.stdio) pipe?.destroy();
}

async function firstProcess({ child, exited }: Launched): Promise<ProcessIdentity | null> {
  let told = '';
  const status = child.stdio[GATE.status] as Readable;
  status.on('error', () => status.destroy());
  const isTold = new Promise<void>((resolve) => {
    status.on('data', (chunk: Buffer) => {
      if (told.length < SANDBOX_STATUS_BYTES_MAX) told += chunk.toString('latin1');
      if (told.includes('}')) resolve();
    });
  });
  await Promise.race([isTold, exited]);
  const pid = Number(/"child-pid": (\d+)/.exec(told)?.[1] ?? 0);
  return pid > 0 && hasNotExited(child) ? identify(pid) : null;
}

/** False where bubblewrap ended before. */
async function untilTrue(child: ChildProcess, timer: Timer, isTrue: () => boolean): Promise<boolean> {
  while (hasNotExited(child)) {
    if (isTrue()) return true;
    await timer.pause(1);
  }
  return false;
}

function mountsOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/mountinfo`, 'latin1');
  } catch {
    // It has ended.
    return '';
  }
}

function hasNotExited(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

async function complaint(child: ChildProcess): Promise<string> {
  const stderr = child.stderr as Readable;
  let text = '';
  stderr.on('data', (chunk: Buffer) => {
    if (text.length < SANDBOX_STATUS_BYTES_MAX) text += chunk.toString('utf8');
  });
  await waitAtMost(new Promise((resolve) => stderr.once('close', resolve)), PROCESS_START_MS_MAX);
  return text.replace(/^bwrap: /gm, '').trim() || 'it ended without a word';
}
