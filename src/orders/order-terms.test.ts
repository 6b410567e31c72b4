import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../platform/clock.ts';
import { randomIds } from '../platform/ids.ts';
import { capWarnings, termsOf } from './order-terms.ts';
import type { RunSettings } from './run-settings.ts';

const SETTINGS: RunSettings = {
  agents: [],
  unready: [],
  withheld: [],
  defaultAgent: null,
  checks: [],
  hosts: [],
  bounds: { allow: [], network: 'RESTRICTED' },
  isShellAllowed: false,
  isSandboxDemanded: false,
  worktree: { setup: [], include: [] },
  runUsdMax: null,
  dayUsdMax: null,
  onQuota: { usual: 'wait', ofAgent: {} },
  prices: {},
  slots: { ofAgent: {}, inAll: 1 },
  memoryBytesMax: null,
  eventTypes: {},
  questionTimeoutMs: 1_000,
};

test('an order says by which way it came in: a command says so, any other caller is a program', () => {
  const roster = { settings: () => SETTINGS, hostsOf: () => [] };
  const world = { roster, ids: randomIds(), clock: systemClock() };
  assert.equal(termsOf(world, { workspace: '/shop' }).origin, 'API');
  assert.equal(termsOf(world, { workspace: '/shop', origin: 'CLI' }).origin, 'CLI');
});

const PRICE = { date: '2026-11-01', inputUsd: 1, cachedInputUsd: 1, outputUsd: 1 };
const worldWith = (prices: Record<string, typeof PRICE>) => ({
  roster: { drivers: { codex: { reportsNoCost: true }, claude: {} }, settings: () => ({ prices }) },
});
const CODEX = { name: 'emma', driver: 'codex', model: 'gpt-5' } as const;

test('a cap on money is named as useless where the agent reports no cost and has no price', () => {
  const note = 'emma reports tokens and no cost: the cap of $2.5 cannot stop it unless you set prices.gpt-5';
  assert.deepEqual(capWarnings(worldWith({}), CODEX, 2.5), [note]);
  assert.deepEqual(capWarnings(worldWith({}), CODEX, null), []);
  assert.deepEqual(capWarnings(worldWith({}), { ...CODEX, driver: 'claude' }, 2.5), []);
});

test('a cap that is judged at the end by the prices of the user says so', () => {
  const [note] = capWarnings(worldWith({ 'gpt-5': PRICE }), CODEX, 2.5);
  assert.match(note ?? '', /computes the cost from your prices of 2026-11-01 and checks the cap$/);
  const settings = { ...CODEX, model: 'codex', vendorModel: 'gpt-5' };
  assert.deepEqual(capWarnings(worldWith({ 'gpt-5': PRICE }), settings, 2.5), [note], 'the model of its own settings');
  assert.deepEqual(capWarnings(worldWith({ codex: PRICE }), settings, 2.5), [note], 'its name');
  assert.match(capWarnings(worldWith({}), settings, 2.5).join(), /set prices\.gpt-5$/);
});
