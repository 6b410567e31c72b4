import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mainThreadCpuMicros } from './main-thread-cpu.ts';

export const BATON = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), 'bin', 'baton');

export interface Daemon {
  readonly url: string;
  readonly token: string;
  /** From the start of its process until it said that it is up. */
  readonly readyMs: number;
  readonly environment: NodeJS.ProcessEnv;
  /** CPU time of its first thread so far. */
  cpuMicros(): number;
  stop(): Promise<void>;
}

/** `baton up` as people start it, with a memory of its own for which folders it made. */
export async function startDaemon(folder: string): Promise<Daemon> {
  mkdirSync(dirname(folder), { recursive: true });
  const environment = { ...process.env, XDG_STATE_HOME: join(dirname(folder), 'state') };
  const startMs = performance.now();
  const child = spawn(BATON, ['up', '--json', '--data', folder], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: environment,
  });
  await Promise.race([once(child.stdout, 'data'), once(child, 'close')]);
  const readyMs = performance.now() - startMs;
  if (child.exitCode !== null) throw new Error(`baton up ended with ${child.exitCode}`);
  const { url, token } = JSON.parse(readFileSync(join(folder, 'node.json'), 'utf8')) as { url: string; token: string };
  const stop = async () => {
    child.kill('SIGTERM');
    await once(child, 'close');
  };
  const cpuMicros = () => mainThreadCpuMicros(child.pid ?? 0);
  return { url, token, readyMs, environment, cpuMicros, stop };
}
