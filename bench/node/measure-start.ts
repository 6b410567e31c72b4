import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openConnection } from '../../src/ledger/connection.ts';
import { lastSeq } from '../../src/ledger/statements/events.ts';
import { Reader } from '../../src/ledger/tx.ts';
import { EVENTS_MIRRORED } from '../../src/tree/event-log.ts';
import { makeCrowd } from '../crowd/measure-crowd.ts';
import type { Judgement } from '../report/judgement.ts';
import { median } from '../report/median.ts';
import { BATON, startDaemon } from './daemon.ts';

const TRIES = 5;
const REFUSED = 2;
const READY_MS_MAX = 2_000;
const STATUS_MS_MAX = 150;
/** docs/operating.md promises it. */
const SECOND_MS_MAX = 1_000;

/** A node on a full ledger: from the start of its process until it is ready, a command through it, a second node refused. */
export async function measureStart(cache: string, folder: string): Promise<readonly Judgement[]> {
  const data = join(folder, 'start', 'data');
  const environment = await makeFullFolder(cache, data);
  const readyMs: number[] = [];
  const statusMs: number[] = [];
  const secondMs: number[] = [];
  for (let at = 0; at < TRIES; at++) {
    const daemon = await startDaemon(data);
    readyMs.push(daemon.readyMs);
    for (let call = 0; call < TRIES; call++) statusMs.push(timeCall(['status', '--data', data], environment));
    secondMs.push(timeCall(['up', '--data', data], environment, REFUSED));
    await daemon.stop();
  }
  const atMost = { sense: 'at most', unit: ' ms', weight: 'bound' } as const;
  return [
    { what: 'start with 100,000 tasks until ready', got: median(readyMs), bound: READY_MS_MAX, ...atMost },
    {
      what: 'baton status through that node, the process whole',
      got: median(statusMs),
      bound: STATUS_MS_MAX,
      ...atMost,
    },
    { what: 'baton up where a node is, until it is refused', got: median(secondMs), bound: SECOND_MS_MAX, ...atMost },
  ];
}

function timeCall(args: string[], env: NodeJS.ProcessEnv, expected = 0): number {
  const startMs = performance.now();
  const { status, stderr } = spawnSync(BATON, args, { env, encoding: 'utf8' });
  if (status !== expected) throw new Error(stderr);
  return performance.now() - startMs;
}

/** The crowd's ledger in a data folder of this machine's own; its files count as written. */
async function makeFullFolder(cache: string, data: string): Promise<NodeJS.ProcessEnv> {
  const crowd = await makeCrowd(cache);
  const { environment, stop } = await startDaemon(data);
  await stop();
  const file = join(data, 'ledger.sqlite');
  mkdirSync(data, { recursive: true });
  new DatabaseSync(join(crowd, 'ledger.db')).close();
  copyFileSync(join(crowd, 'ledger.db'), file);
  const db = openConnection(file);
  const seq = String(lastSeq(new Reader(db)));
  db.exec('DELETE FROM unmirrored');
  db.prepare('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)').run(EVENTS_MIRRORED, seq);
  db.close();
  return environment;
}
