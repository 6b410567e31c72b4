import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { PROCESS_START_MS_MAX, SANDBOX_STATUS_BYTES_MAX } from '../../../domain/limits.ts';
import type { Timer } from '../../../platform/timer.ts';
import { waitAtMost } from '../../../platform/wait-at-most.ts';
import type { Launched } from '../../process/launch.ts';
import { childrenOf, identify } from '../../process/process-table.ts';
import type { ProcessIdentity } from '../sandbox.ts';

/** The descriptors between Baton and bubblewrap; none of them reaches the process inside. */
export const GATE = { status: 3, release: 4, arguments: 5, filter: 6 } as const;
export const GATE_STDIO = ['pipe', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe'] as const;

export type Built =
  | { readonly kind: 'built'; readonly pid: number }
  | { readonly kind: 'failed'; readonly reason: string };

/** Hands bubblewrap what it is to do; it builds the sandbox and waits before it starts anything in it. */
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

/** The host's number of the first process in the sandbox, or what bubblewrap says went wrong. */
export async function awaitBuilt({ child, exited }: Launched): Promise<Built> {
  let told = '';
  const status = child.stdio[GATE.status] as Readable;
  const built = new Promise<void>((resolve) => {
    status.on('data', (chunk: Buffer) => {
      if (told.length < SANDBOX_STATUS_BYTES_MAX) told += chunk.toString('latin1');
      if (told.includes('}')) resolve();
    });
    status.on('error', () => status.destroy());
  });
  const isInTime = await waitAtMost(Promise.race([built, exited]), PROCESS_START_MS_MAX);
  const pid = Number(/"child-pid": (\d+)/.exec(told)?.[1] ?? 0);
  if (isInTime && pid > 0 && child.exitCode === null) return { kind: 'built', pid };
  child.kill('SIGKILL');
  return { kind: 'failed', reason: `bubblewrap: ${isInTime ? await complaint(child) : 'took too long'}` };
}

/** The process begins. Null where it was over before it was seen. */
export async function release(child: ChildProcess, first: number, timer: Timer): Promise<ProcessIdentity | null> {
  (child.stdio[GATE.release] as Writable).end('go');
  while (child.exitCode === null && child.signalCode === null) {
    const [agent] = childrenOf(first);
    if (agent !== undefined) return identify(agent);
    await timer.pause(1);
  }
  return null;
}

/** Closes what is between the two; the end of a process does not wait for it. */
export function closeGate(child: ChildProcess): void {
  for (const pipe of child.stdio) pipe?.destroy();
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
