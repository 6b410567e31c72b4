import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';
import { findSandbox } from '../../src/agents/sandbox/find-sandbox.ts';
import type { Grant } from '../../src/agents/sandbox/sandbox.ts';
import { orderText } from './run-order.ts';

export interface Runs {
  readonly count: number;
  readonly atOnce: number;
  readonly argv: readonly string[];
  /** The folder of a run. */
  folderOf(at: number): string;
}

/** So many at a time, each begun as another ends. */
async function inTurn({ count, atOnce }: Runs, one: (at: number) => Promise<void>): Promise<number> {
  const startedMs = performance.now();
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let at = next++; at < count; at = next++) await one(at);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return (performance.now() - startedMs) / 1_000;
}

/** Bubblewrap by hand: its own namespaces, the whole system read-only, one folder to write to. */
export async function spawnBubblewrap(runs: Runs): Promise<number> {
  return await inTurn(runs, async (at) => {
    const folder = runs.folderOf(at);
    const holds = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp'];
    const own = ['--unshare-all', '--die-with-parent', '--new-session', '--bind', folder, folder, '--chdir', folder];
    const child = spawn('bwrap', [...holds, ...own, '--', ...runs.argv], { stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdin.end(orderText(folder, `direct-${at}`));
    child.stdout.resume();
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`bwrap ended with ${code}`);
  });
}

/**
 * The same sandbox as a run's, with the way to the node's port, without a run around it: no order, no ledger, nothing
 * checked or kept.
 */
export async function startSandbox(runs: Runs, port: number): Promise<number> {
  const sandbox = await findSandbox();
  if ('kind' in sandbox) throw new Error(sandbox.reason);
  return await inTurn(runs, async (at) => {
    const folder = runs.folderOf(at);
    const live = await sandbox.start({
      argv: runs.argv,
      cwd: folder,
      env: { PATH: process.env['PATH'] ?? '' },
      stdin: orderText(folder, `direct-${at}`),
      grant: grantOf(folder, dirname(runs.argv[1] ?? ''), port),
      secrets: [],
      onLine: () => {},
    });
    const end = await live.ended;
    if (end.kind !== 'exited' || end.exitCode !== 0) throw new Error(`the agent ended with ${JSON.stringify(end)}`);
  });
}

function grantOf(folder: string, program: string, port: number): Grant {
  const network = { level: 'RESTRICTED', hosts: [], loopbackPorts: [port] } as const;
  return { readPaths: [folder, program], writePaths: [folder], mounts: [], hiddenPaths: [], network };
}
