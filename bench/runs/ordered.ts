import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeCaller } from '../node/caller.ts';
import { BATON, type Daemon, startDaemon } from '../node/daemon.ts';
import type { Runs } from './direct.ts';
import { orderText } from './run-order.ts';

const LOOK_MS = 50;

export interface OrderedRuns {
  readonly seconds: number;
  /** The CPU time of the node's first thread, for one run. */
  readonly cpuMillisPerRun: number;
}

/** A node whose one agent is this program. */
export async function startNode(
  folder: string,
  { argv, atOnce }: Pick<Runs, 'argv' | 'atOnce'>,
): Promise<Daemon & AsyncDisposable> {
  const data = join(folder, 'data');
  mkdirSync(folder, { recursive: true });
  // Only a folder that Baton made itself counts.
  const env = { ...process.env, XDG_STATE_HOME: join(folder, 'state') };
  execFileSync(BATON, ['init', '--data', data], { env, stdio: 'ignore' });
  const agent = { driver: 'process', command: argv, provider: 'OTHER', model: 'bench', at_once: atOnce };
  writeFileSync(join(data, 'config.yaml'), JSON.stringify({ runs: { at_once: atOnce }, agents: { bench: agent } }));
  const daemon = await startDaemon(data);
  return { ...daemon, [Symbol.asyncDispose]: () => daemon.stop() };
}

/** Orders handed to a node over HTTP, until every one is reported. */
export async function runOrders(daemon: Daemon, runs: Runs, name: string): Promise<OrderedRuns> {
  const cpuBefore = daemon.cpuMicros();
  const startedMs = performance.now();
  await submitAll(daemon, runs, name);
  await untilQuiet(daemon);
  const seconds = (performance.now() - startedMs) / 1_000;
  return { seconds, cpuMillisPerRun: (daemon.cpuMicros() - cpuBefore) / 1_000 / runs.count };
}

export async function submitAll(daemon: Daemon, runs: Runs, name: string): Promise<void> {
  const caller = makeCaller(daemon, runs.atOnce);
  const submit = async (at: number): Promise<void> => {
    const workspace = runs.folderOf(at);
    await caller.post('/v1/orders', { text: orderText(workspace, `${name}-${at}`), workspace });
  };
  await Promise.all(Array.from({ length: runs.count }, (_, at) => submit(at)));
  caller.close();
}

interface Status {
  readonly counts: Readonly<Record<string, number>>;
  readonly needsYou: readonly { readonly id: string; readonly reason: string | null }[];
}

async function statusOf({ url, token }: Daemon): Promise<Status> {
  const answer = await fetch(`${url}/v1/status`, { headers: { authorization: `Bearer ${token}` } });
  return (await answer.json()) as Status;
}

async function untilQuiet(daemon: Daemon): Promise<void> {
  await until(daemon, (counts) => !counts['ready'] && !counts['in-progress'] && !counts['backlog']);
}

/** Until what is counted is so. A run that fails makes the bench worthless. */
export async function until(daemon: Daemon, isSo: (counts: Status['counts']) => boolean): Promise<void> {
  for (;;) {
    const { counts, needsYou } = await statusOf(daemon);
    const failed = (counts['blocked'] ?? 0) + (counts['deadletter'] ?? 0) + (counts['review'] ?? 0);
    if (failed > 0) throw new Error(`${failed} runs did not succeed: ${needsYou[0]?.id} ${needsYou[0]?.reason}`);
    if (isSo(counts)) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** Private memory of a process in MiB; NaN where the system does not report it. */
export function memoryMiB(pid: number): number {
  const [, kib = Number.NaN] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) / 1_024;
}
