import { test } from 'node:test';
import { scratchFolder } from '../support/data-folder.ts';
import { startPairs } from '../support/node/daemon-pairs.ts';
import { killDaemons } from '../support/node/kill-daemons.ts';
import { SEED } from '../support/seed.ts';

const scratch = scratchFolder('daemons');

test('of two daemons started at once exactly one stays, fifty times over', async () => {
  await startPairs(50, scratch);
});

test('a hundred random kill -9 under load by HTTP lose no answer', async () => {
  await killDaemons(100, SEED);
});
