import assert from 'node:assert/strict';
import { test } from 'node:test';
import { POLICY_DEFAULTS } from '../order/policy.ts';
import { type WatchedRun, watchLimits } from './watch-limits.ts';

const BEAT = { enabled: true, intervalSeconds: 10, missedBeatsMax: 3, onFailure: 'abort' } as const;

function run(changes: Partial<WatchedRun> = {}, policy: Partial<WatchedRun['policy']> = {}): WatchedRun {
  return {
    policy: { ...POLICY_DEFAULTS, timeoutSeconds: 100, ...policy },
    budget: { costUsdMax: null, tokensMax: null },
    spent: { costUsd: 0, tokens: 0 },
    day: null,
    startedAt: 1_000,
    heardAt: 1_000,
    isStopRequested: false,
    isTimeoutReported: false,
    isSpendReported: false,
    isDayReported: false,
    isSilenceReported: false,
    isWaitingForPerson: false,
    hasFailed: false,
    retrying: null,
    finishedAt: null,
    ...changes,
  };
}

test('a run has until its timeout, to the millisecond', () => {
  assert.deepEqual(watchLimits(run(), 1_000), { kind: 'wait', until: 101_000 });
  assert.deepEqual(watchLimits(run(), 100_999), { kind: 'wait', until: 101_000 });
  assert.deepEqual(watchLimits(run(), 101_000), { kind: 'stop', cause: 'timeout' });
});

test('a run that is not to be ended at its timeout is warned of once', () => {
  const policy = { autoTerminateOnTimeout: false };
  assert.deepEqual(watchLimits(run({}, policy), 101_000), { kind: 'warn', about: 'timeout' });
  assert.deepEqual(watchLimits(run({ isTimeoutReported: true }, policy), 999_000), { kind: 'wait', until: null });
});

test('silence is interval times missed beats since it was last heard', () => {
  const policy = { heartbeat: BEAT };
  assert.deepEqual(watchLimits(run({}, policy), 30_999), { kind: 'wait', until: 31_000 });
  assert.deepEqual(watchLimits(run({}, policy), 31_000), { kind: 'stop', cause: 'heartbeat' });
  assert.deepEqual(watchLimits(run({ heardAt: 20_000 }, policy), 31_000), { kind: 'wait', until: 50_000 });
  assert.deepEqual(watchLimits(run({ heardAt: 90_000 }, policy), 95_000), { kind: 'wait', until: 101_000 });
});

test('silence ends, warns once, or means nothing, as the policy says', () => {
  const warn = { heartbeat: { ...BEAT, onFailure: 'warn' } } as const;
  assert.deepEqual(watchLimits(run({}, warn), 31_000), { kind: 'warn', about: 'heartbeat' });
  assert.deepEqual(watchLimits(run({ isSilenceReported: true }, warn), 32_000), { kind: 'wait', until: 101_000 });
  for (const heartbeat of [
    { ...BEAT, onFailure: 'continue' as const },
    { ...BEAT, enabled: false },
  ]) {
    assert.deepEqual(watchLimits(run({}, { heartbeat }), 32_000), { kind: 'wait', until: 101_000 });
  }
});

test('an agent that waits for a person is not silent, but its time runs', () => {
  const policy = { heartbeat: BEAT };
  assert.deepEqual(watchLimits(run({ isWaitingForPerson: true }, policy), 32_000), { kind: 'wait', until: 101_000 });
  assert.deepEqual(watchLimits(run({ isWaitingForPerson: true }, policy), 101_000), { kind: 'stop', cause: 'timeout' });
});

test('of two that are due, the one that was due first counts', () => {
  const late = 200_000;
  assert.deepEqual(watchLimits(run({}, { heartbeat: BEAT }), late), { kind: 'stop', cause: 'heartbeat' });
  const heard = run({ heardAt: 100_000 }, { heartbeat: BEAT });
  assert.deepEqual(watchLimits(heard, late), { kind: 'stop', cause: 'timeout' });
});

test('what is spent over the budget ends a run, exactly the budget does not', () => {
  const budget = { costUsdMax: 1, tokensMax: 100 };
  const spent = (costUsd: number, tokens: number) =>
    watchLimits(run({ budget, spent: { costUsd, tokens }, isSpendReported: true }), 1_000);
  assert.equal(spent(1, 100).kind, 'wait');
  assert.deepEqual(spent(1.01, 0), { kind: 'stop', cause: 'budget' });
  assert.deepEqual(spent(0, 101), { kind: 'stop', cause: 'budget' });
});

test('80 % of the money is warned about once, however many tokens there are', () => {
  const budget = { costUsdMax: 1, tokensMax: 100 };
  const spent = (costUsd: number, isSpendReported = false) =>
    watchLimits(run({ budget, spent: { costUsd, tokens: 99 }, isSpendReported }), 1_000);
  assert.equal(spent(0.79).kind, 'wait');
  assert.deepEqual(spent(0.8), { kind: 'warn', about: 'spend' });
  assert.deepEqual(spent(1), { kind: 'warn', about: 'spend' });
  assert.equal(spent(0.9, true).kind, 'wait');
});

test('a person who wants it to end comes before everything', () => {
  const spent = { costUsd: 2, tokens: 0 };
  const asked = run({ isStopRequested: true, spent, budget: { costUsdMax: 1, tokensMax: null } });
  assert.deepEqual(watchLimits(asked, 999_000), { kind: 'stop', cause: 'stop' });
});

test('a reported failure ends the run at once', () => {
  assert.deepEqual(watchLimits(run({ hasFailed: true }), 1_000), { kind: 'stop', cause: 'failure' });
  assert.deepEqual(watchLimits(run({ hasFailed: true, isStopRequested: true }), 1_000), {
    kind: 'stop',
    cause: 'stop',
  });
});

test('a model has a minute to answer, counted from its first retry', () => {
  const retrying = { since: 2_000, message: '529' };
  assert.deepEqual(watchLimits(run({ retrying }), 61_999), { kind: 'wait', until: 62_000 });
  assert.deepEqual(watchLimits(run({ retrying }), 62_000), { kind: 'stop', cause: 'unavailable' });
});

test('a process has five seconds to exit after its work is over', () => {
  assert.deepEqual(watchLimits(run({ finishedAt: 2_000 }), 6_999), { kind: 'wait', until: 7_000 });
  assert.deepEqual(watchLimits(run({ finishedAt: 2_000 }), 7_000), { kind: 'stop', cause: 'linger' });
});

test('the money of the day warns once at 80 % and ends a run beyond its cap', () => {
  const day = (usd: number) => ({ usdMax: 1, usd });
  assert.deepEqual(watchLimits(run({ day: day(0.79) }), 1_000), { kind: 'wait', until: 101_000 });
  assert.deepEqual(watchLimits(run({ day: day(0.8) }), 1_000), { kind: 'warn', about: 'day' });
  assert.deepEqual(watchLimits(run({ day: day(1), isDayReported: true }), 1_000), { kind: 'wait', until: 101_000 });
  assert.deepEqual(watchLimits(run({ day: day(1.01), isDayReported: true }), 1_000), { kind: 'stop', cause: 'day' });
});
