import { createHash } from 'node:crypto';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { firstMigration } from '../../src/ledger/migrations/0001-first.ts';
import { NEWEST_SCHEMA } from '../../src/ledger/migrations/migrate.ts';
import { runInChild } from '../contest/run-in-child.ts';
import type { Judgement } from '../report/judgement.ts';
import { median } from '../report/median.ts';
import type { FirstCommand } from './first-command.ts';

const TASKS = 100_000;
const TRIES = 3;
const FIRST_COMMAND_MS_MAX = 500;
const RESIDENT_MIB_MAX = 300;
const TICK_MS_MAX = 10;

/** Measures how long a process takes to open a ledger with 100,000 tasks. */
export async function measureCrowd(cache: string): Promise<readonly Judgement[]> {
  const folder = await makeCrowd(cache);
  const wallMs: number[] = [];
  const firsts: FirstCommand[] = [];
  for (let at = 0; at < TRIES; at++) {
    const start = performance.now();
    firsts.push(await runInChild<FirstCommand>(new URL('./first-command.ts', import.meta.url), [folder]));
    wallMs.push(performance.now() - start);
  }
  const about = `with ${TASKS.toLocaleString('en')} tasks`;
  const atMost = { sense: 'at most', weight: 'bound' } as const;
  return [
    {
      what: `${about}: process start to end, one command`,
      got: median(wallMs),
      bound: FIRST_COMMAND_MS_MAX,
      unit: ' ms',
      ...atMost,
    },
    {
      what: `${about}: memory`,
      got: Math.max(...firsts.map(({ residentMiB }) => residentMiB)),
      bound: RESIDENT_MIB_MAX,
      unit: ' MiB',
      ...atMost,
    },
    {
      what: `${about}: dispatcher tick`,
      got: Math.max(...firsts.map(({ tickMs }) => tickMs)),
      bound: TICK_MS_MAX,
      unit: ' ms',
      ...atMost,
    },
  ];
}

/** Made once for each schema; a half-made one is thrown away. */
export async function makeCrowd(cache: string): Promise<string> {
  const schema = createHash('sha256').update(firstMigration).digest('hex').slice(0, 12);
  const folder = join(cache, 'bench', `crowd-${NEWEST_SCHEMA}-${schema}`);
  if (existsSync(folder)) return folder;
  const making = `${folder}.making`;
  rmSync(making, { recursive: true, force: true });
  await runInChild(new URL('./make-crowd.ts', import.meta.url), [making, String(TASKS)]);
  renameSync(making, folder);
  return folder;
}
