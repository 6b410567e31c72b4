import { test } from 'node:test';
import { playRandomLives } from '../support/ledger/random-lives.ts';

test('whatever several agents ask in whatever order, the ledger is where the documents say', async () => {
  await playRandomLives(120);
});
