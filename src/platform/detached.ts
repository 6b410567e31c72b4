import { spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { openLog } from './logger.ts';
import type { Timer } from './timer.ts';

export interface DetachRequest {
  /** Of this same program. */
  readonly args: readonly string[];
  /** What the process says when it can no longer use its own log. */
  readonly logFile: string;
  readonly waitMsMax: number;
  readonly timer: Timer;
}

export type DetachOutcome<Message> =
  | { readonly kind: 'told'; readonly message: Message }
  | { readonly kind: 'ended'; readonly status: number | null }
  | { readonly kind: 'late'; readonly pid: number };

/** Starts this program again in a session of its own, and waits for the first thing that it tells. */
export async function startDetached<Message>(request: DetachRequest): Promise<DetachOutcome<Message>> {
  const { args, logFile, waitMsMax, timer } = request;
  const log = openLog(logFile);
  const child = spawn(process.execPath, [process.argv[1] ?? '', ...args], {
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  const outcome = await new Promise<DetachOutcome<Message>>((resolve, reject) => {
    child.once('error', reject);
    child.once('message', (message) => resolve({ kind: 'told', message: message as Message }));
    child.once('exit', (status) => resolve({ kind: 'ended', status }));
    timer.after(waitMsMax, () => resolve({ kind: 'late', pid: child.pid ?? 0 }));
  });
  if (child.connected) child.disconnect();
  child.unref();
  return outcome;
}

/** Whether this process was started so. */
export function isDetached(): boolean {
  return process.send !== undefined;
}

/** Tells the one who waits, once; who has gone meanwhile is not missed. */
export async function tellStarter(message: object): Promise<void> {
  await new Promise<void>((resolve) => process.send?.(message, () => resolve()));
  if (process.connected) process.disconnect();
}
