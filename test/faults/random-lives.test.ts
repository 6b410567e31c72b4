import { test } from 'node:test';
import { playRandomLives } from '../support/ledger/random-lives.ts';

test('3,000 schedules of several agents end where the documents say', async () => {
  await playRandomLives(3_000);
});
