import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { scratchFolder } from '../../support/data-folder.ts';
import { lostAnswers } from '../../support/ledger/acknowledged.ts';
import { checkLedger } from '../../support/ledger/check-ledger.ts';
import { liveThrough } from '../../support/node/daemon-lives.ts';
import { startPairs } from '../../support/node/daemon-pairs.ts';
import { killDaemons } from '../../support/node/kill-daemons.ts';
import { SEED } from '../../support/seed.ts';
import { TestDaemon } from '../../support/test-daemon.ts';

const scratch = scratchFolder('node-faults');

test('of two daemons started at once exactly one stays, five times over', async () => {
  await startPairs(5, scratch, 4_000);
});

test('ten random kill -9 under load by HTTP lose no answer', async () => {
  await killDaemons(10, SEED);
});

test('a node under load ends after SIGTERM, and what it answered is kept', async () => {
  const folder = join(scratch, 'load');
  const daemon = await TestDaemon.start(folder);
  const lives = liveThrough(daemon.client, 'load', 32);
  while (lives.answers.length < 200) await new Promise((resolve) => setImmediate(resolve));
  const ended = await daemon.end();
  assert.deepEqual(ended, { status: 0, signal: null });
  await lives.over;
  const db = new DatabaseSync(join(folder, 'ledger.sqlite'), { readOnly: true });
  assert.deepEqual([...checkLedger(db), ...lostAnswers(db, lives.answers)], []);
  db.close();
});
