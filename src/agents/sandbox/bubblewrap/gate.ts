import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { PROCESS_DRAIN_MS_MAX, PROCESS_START_MS_MAX, SANDBOX_STATUS_BYTES_MAX } from '../../../domain/limits.ts';
import type { Timer } from '../../../platform/timer.ts';
import { waitAtMost } from '../../../platform/wait-at-most.ts';
import type { Launched } from '../../process/launch.ts';
import { childrenOf, identify, isRunning, signalProcess } from '../../process/process-table.ts';
import type { ProcessIdentity } from '../sandbox.ts';

/** The descriptors between Baton and bubblewrap; none of them reaches the program inside. */
export const GATE = { status: 3, release: 4, arguments: 5, filter: 6 } as const;
export const GATE_STDIO = ['pipe', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe'] as const;

/**
 * Where the process says that it stands inside of the finished sandbox, and waits there until a line says go. Where the
 * line never comes, for Baton was killed meanwhile, it ends: bubblewrap's own way to wait would begin without one.
 */
export const WAIT_AT_GATE = `echo >&${GATE.release} && read -r _ <&${GATE.release} || exit 125; exec ${GATE.release}<&-`;

export type Built =
  /** The first process of the sandbox, and the one that waits in it to become the program. */
  | { readonly kind: 'built'; readonly first: ProcessIdentity; readonly agent: ProcessIdentity }
  | { readonly kind: 'failed'; readonly reason: string };

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
  const complaint = listen(child);
  let isLate = false;
  const cancel = timer.after(PROCESS_START_MS_MAX, () => {
    isLate = true;
    child.kill('SIGKILL');
  });
  const isThere = heardFrom(child, GATE.release);
  const first = await firstProcess(launched);
  const agent = first && (await waitingIn(first, Promise.race([isThere, launched.exited])));
  cancel();
  if (first && agent) {
    complaint.leave();
    return { kind: 'built', first, agent };
  }
  if (first) signalProcess(first, 'SIGKILL');
  child.kill('SIGKILL');
  return { kind: 'failed', reason: `bubblewrap: ${isLate ? 'took too long' : await complaint.text()}` };
}

/** The process that waits becomes the program. */
export function release(child: ChildProcess): void {
  (child.stdio[GATE.release] as Writable).end('go\n');
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

/** The one that said that it is there; nobody else has been started in it yet. */
async function waitingIn(first: ProcessIdentity, isThere: Promise<unknown>): Promise<ProcessIdentity | null> {
  await isThere;
  const [pid] = isRunning(first) ? childrenOf(first.pid) : [];
  return pid === undefined ? null : identify(pid);
}

/** The first word over a descriptor. */
function heardFrom(child: ChildProcess, fd: number): Promise<void> {
  return new Promise((resolve) => void child.stdio[fd]?.once('data', () => resolve()));
}

function hasNotExited(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

interface Complaint {
  text(): Promise<string>;
  /** What comes from here on is of the process itself. */
  leave(): void;
}

/** Read from the start: what nobody reads is lost with the exit. */
function listen(child: ChildProcess): Complaint {
  const stderr = child.stderr as Readable;
  let said = '';
  const hear = (chunk: Buffer) => {
    if (said.length < SANDBOX_STATUS_BYTES_MAX) said += chunk.toString('utf8');
  };
  const closed = new Promise((resolve) => stderr.once('close', resolve));
  stderr.on('data', hear);
  return {
    text: async () => {
      await waitAtMost(closed, PROCESS_DRAIN_MS_MAX);
      return said.replace(/^bwrap: /gm, '').trim() || 'it ended without a word';
    },
    leave: () => void stderr.off('data', hear).pause(),
  };
}
