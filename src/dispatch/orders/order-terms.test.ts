import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../platform/clock.ts';
import { randomIds } from '../../platform/ids.ts';
import type { RunSettings } from '../run-settings.ts';
import { termsOf } from './order-terms.ts';

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
  questionTimeoutMs: 1_000,
};

test('an order says by which way it came in: a command says so, any other caller is a program', () => {
  const world = { settings: () => SETTINGS, ids: randomIds(), clock: systemClock(), hostsOf: () => [] };
  assert.equal(termsOf(world, { workspace: '/shop' }).origin, 'API');
  assert.equal(termsOf(world, { workspace: '/shop', origin: 'CLI' }).origin, 'CLI');
});
