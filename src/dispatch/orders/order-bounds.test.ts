import assert from 'node:assert/strict';
import { test } from 'node:test';
import { uselessCap } from './order-bounds.ts';

const PRICE = { date: '2026-11-01', inputUsd: 1, cachedInputUsd: 1, outputUsd: 1 };
const worldWith = (prices: Record<string, typeof PRICE>) => ({
  drivers: { codex: { reportsNoCost: true }, claude: {} },
  settings: () => ({ prices }),
});
const CODEX = { name: 'emma', driver: 'codex', model: 'gpt-5' } as const;

test('a cap on money is named as useless where the agent reports no cost and has no price', () => {
  const note = 'emma reports tokens and no cost: the cap of $2.5 cannot stop it unless you set prices.gpt-5';
  assert.deepEqual(uselessCap(worldWith({}), CODEX, 2.5), [note]);
  assert.deepEqual(uselessCap(worldWith({}), CODEX, null), []);
  assert.deepEqual(uselessCap(worldWith({}), { ...CODEX, driver: 'claude' }, 2.5), []);
});

test('a cap that is judged at the end by the prices of the user says so', () => {
  const [note] = uselessCap(worldWith({ 'gpt-5': PRICE }), CODEX, 2.5);
  assert.match(note ?? '', /your prices of 2026-11-01 make the cost, and the cap is judged then$/);
});
