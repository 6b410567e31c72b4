import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';

/** A server the bench started, on loopback, with a data folder of its own. */
export interface Server {
  readonly port: number;
  stop(): Promise<void>;
}

const START_TRIES_MAX = 200;
const START_WAIT_MS = 50;

export interface ServerStart {
  readonly command: string;
  readonly args: readonly string[];
  readonly port: number;
  /** The user that runs it, where it refuses to run as root. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** How it is asked to end at once but in order. */
  readonly stopSignal: 'SIGTERM' | 'SIGINT';
  isUp(): boolean;
}

export async function startServer(start: ServerStart): Promise<Server> {
  const child = spawn(start.command, start.args, { stdio: 'ignore', ...start.user });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  for (let tries = 0; !start.isUp(); tries++) {
    if (tries >= START_TRIES_MAX || child.exitCode !== null) {
      child.kill('SIGKILL');
      throw new Error(`${start.command} did not start`);
    }
    await new Promise((resolve) => setTimeout(resolve, START_WAIT_MS));
  }
  return { port: start.port, stop: () => stop(child, ended, start.stopSignal) };
}

async function stop(child: ChildProcess, ended: Promise<void>, signal: 'SIGTERM' | 'SIGINT'): Promise<void> {
  if (child.exitCode === null) child.kill(signal);
  await ended;
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}
