import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Acknowledged, lostAnswers } from '../ledger/acknowledged.ts';
import { checkLedger } from '../ledger/check-ledger.ts';
import { randomOf } from '../seed.ts';
import { TestDaemon } from '../test-daemon.ts';
import { suiteScratch } from '../test-ledger.ts';
import { liveThrough } from './daemon-lives.ts';

const CALLERS = 8;
/** A node is killed at some instant of so many milliseconds after it came up. */
const LIFE_MS_MAX = 400;

/** Kills a node under load again and again, and checks what every caller was told before each kill. */
export async function killDaemons(kills: number, seed: number): Promise<void> {
  const random = randomOf(seed, 0);
  const folder = join(mkdtempSync(join(suiteScratch(), 'daemons-')), 'data');
  const answers: Acknowledged[] = [];
  for (let kill = 0; kill < kills; kill++) {
    const daemon = await TestDaemon.start(folder);
    const lives = liveThrough(daemon.client, `kill-${kill}`, CALLERS);
    // The instant itself is what the seed draws: nothing is waited for.
    await sleep(random(LIFE_MS_MAX));
    await daemon.end('SIGKILL');
    await lives.over;
    answers.push(...lives.answers);
    if (kill % 10 === 9) assert.deepEqual(findings(folder, answers), [], `seed ${seed}, kill ${kill}`);
  }
  const last = await TestDaemon.start(folder);
  await last.client.treeSettled();
  assert.equal((await last.end()).status, 0);
  assert.deepEqual(findings(folder, answers), [], `seed ${seed}`);
  assert.ok(answers.length > kills, `only ${answers.length} answers`);
}

function findings(folder: string, answers: readonly Acknowledged[]): string[] {
  const db = new DatabaseSync(join(folder, 'ledger.sqlite'), { readOnly: true, timeout: 5_000 });
  try {
    return [...checkLedger(db), ...lostAnswers(db, answers)];
  } finally {
    db.close();
  }
}
