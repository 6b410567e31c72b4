import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import {
  PROCESS_DRAIN_MS_MAX,
  PROCESS_START_MS_MAX,
  SANDBOX_STATUS_BYTES_MAX,
} from '../../../domain/process-limits.ts';
import type { Timer } from '../../../platform/timer.ts';
import { waitAtMost } from '../../../platform/timer.ts';
import { childrenOf, identify, isRunning, signalProcess } from '../../process/process-table.ts';
import type { SpawnedProcess } from '../../process/spawn-process.ts';
import type { ProcessIdentity } from '../sandbox.ts';

/** Descriptors between Baton and bubblewrap; none of them reaches the program inside. */
export const GATE = { status: 3, release: 4, firstData: 5 } as const;

/** Data that bubblewrap reads from pipes: its arguments, a filter, files. Each piece has a descriptor of its own. */
export class GateData {
  readonly #pieces: (string | Buffer)[] = [];

  /** The descriptor from which bubblewrap reads this piece. */
  add(bytes: string | Buffer): number {
    return GATE.firstData + this.#pieces.push(bytes) - 1;
  }

  get stdio(): readonly 'pipe'[] {
    return Array.from({ length: GATE.firstData + this.#pieces.length }, () => 'pipe');
  }

  send(child: ChildProcess): void {
    this.#pieces.forEach((bytes, at) => {
      const pipe = child.stdio[GATE.firstData + at] as Writable;
      // A broken pipe means that bubblewrap exited, which is reported with its reason.
      pipe.on('error', () => pipe.destroy());
      pipe.end(bytes);
    });
  }
}

/**
 * The shell inside reports that the sandbox is finished, then waits for a line. If Baton is killed meanwhile no line
 * comes and the shell exits; bubblewrap's own --block-fd would start the program when the pipe closes.
 */
export const WAIT_AT_GATE = `echo >&${GATE.release} && read -r _ <&${GATE.release} || exit 125; exec ${GATE.release}<&-`;

export type Built =
  /** The sandbox's init, and the process that waits at the gate to become the program. */
  | { readonly kind: 'built'; readonly first: ProcessIdentity; readonly agent: ProcessIdentity }
  | { readonly kind: 'failed'; readonly reason: string };

/** Sends bubblewrap all that it reads before it builds the sandbox. */
export function instruct(child: ChildProcess, data: GateData): void {
  child.stdio[GATE.release]?.on('error', () => {});
  data.send(child);
}

/** Waits until the sandbox is finished or bubblewrap reports an error; its init is there while it is being built. */
export async function awaitBuilt(
  spawned: SpawnedProcess,
  timer: Timer,
  onFirst: (first: ProcessIdentity) => void,
): Promise<Built> {
  const { child } = spawned;
  const errors = collectErrors(child);
  let isLate = false;
  const cancel = timer.after(PROCESS_START_MS_MAX, () => {
    isLate = true;
    child.kill('SIGKILL');
  });
  const atGate = firstData(child, GATE.release);
  const first = await firstProcess(spawned);
  if (first) onFirst(first);
  const agent = first && (await processAtGate(first, Promise.race([atGate, spawned.exited])));
  cancel();
  if (first && agent) {
    errors.leave();
    return { kind: 'built', first, agent };
  }
  if (first) signalProcess(first, 'SIGKILL');
  child.kill('SIGKILL');
  return { kind: 'failed', reason: `bubblewrap: ${isLate ? 'took too long' : await errors.text()}` };
}

/** Lets the process at the gate become the program. */
export function release(child: ChildProcess): void {
  (child.stdio[GATE.release] as Writable).end('go\n');
}

/** Closes every pipe to bubblewrap. */
export function closeGate(child: ChildProcess): void {
  for (const pipe of child.stdio) pipe?.destroy();
}

async function firstProcess({ child, exited }: SpawnedProcess): Promise<ProcessIdentity | null> {
  let text = '';
  const status = child.stdio[GATE.status] as Readable;
  status.on('error', () => status.destroy());
  const isReported = new Promise<void>((resolve) => {
    status.on('data', (chunk: Buffer) => {
      if (text.length < SANDBOX_STATUS_BYTES_MAX) text += chunk.toString('latin1');
      if (text.includes('}')) resolve();
    });
  });
  await Promise.race([isReported, exited]);
  const pid = Number(/"child-pid": (\d+)/.exec(text)?.[1] ?? 0);
  return pid > 0 && hasNotExited(child) ? identify(pid) : null;
}

/** The first child of init; the bridge, if any, is a later one. */
async function processAtGate(first: ProcessIdentity, atGate: Promise<unknown>): Promise<ProcessIdentity | null> {
  await atGate;
  const [pid] = isRunning(first) ? childrenOf(first.pid) : [];
  return pid === undefined ? null : identify(pid);
}

function firstData(child: ChildProcess, fd: number): Promise<void> {
  return new Promise((resolve) => void child.stdio[fd]?.once('data', () => resolve()));
}

function hasNotExited(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

interface ErrorText {
  text(): Promise<string>;
  /** Stops collecting: later output is the program's. */
  leave(): void;
}

/** Reads stderr from the start: unread output is lost with the exit. */
function collectErrors(child: ChildProcess): ErrorText {
  const stderr = child.stderr as Readable;
  let text = '';
  const collect = (chunk: Buffer) => {
    if (text.length < SANDBOX_STATUS_BYTES_MAX) text += chunk.toString('utf8');
  };
  const closed = new Promise((resolve) => stderr.once('close', resolve));
  stderr.on('data', collect);
  return {
    text: async () => {
      await waitAtMost(closed, PROCESS_DRAIN_MS_MAX);
      return text.replace(/^bwrap: /gm, '').trim() || 'it exited without an error message';
    },
    leave: () => void stderr.off('data', collect).pause(),
  };
}
