import { spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { openLog } from '../logger.ts';
import type { Timer } from '../timer.ts';

export interface DetachRequest {
  /** Arguments for this same program. */
  readonly args: readonly string[];
  /** Receives stdout and stderr of the process, in case its own log fails. */
  readonly logFile: string;
  readonly waitMsMax: number;
  readonly timer: Timer;
}

export type DetachOutcome<Message> =
  | { readonly kind: 'told'; readonly message: Message }
  | { readonly kind: 'ended'; readonly status: number | null }
  | { readonly kind: 'late'; readonly pid: number };

/** Starts this program again in a session of its own and waits for its first message. */
export async function startDetached<Message>(request: DetachRequest): Promise<DetachOutcome<Message>> {
  const { args, logFile, waitMsMax, timer } = request;
  const log = openLog(logFile);
  // The launcher's own flags; a debugger's would take the same port again.
  const flags = process.execArgv.filter((flag) => flag.includes('-semi-space-size='));
  const child = spawn(process.execPath, [...flags, process.argv[1] ?? '', ...args], {
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

/** Whether this process was started detached. */
export function isDetached(): boolean {
  return process.send !== undefined;
}

/** Sends the waiting parent its one message; a parent that has ended is ignored. */
export async function tellStarter(message: object): Promise<void> {
  await new Promise<void>((resolve) => process.send?.(message, () => resolve()));
  if (process.connected) process.disconnect();
}
