import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CALLS_AT_ONCE_MAX, INVITE_GUESSES_MAX } from '../domain/external/external-limits.ts';
import { CallRates } from './call-rates.ts';

test('after five wrong invites in a minute an address waits, and no other one', () => {
  const rates = new CallRates();
  for (let at = 0; at < INVITE_GUESSES_MAX; at++) {
    assert.equal(rates.guessWaitMs('a', at * 1_000), 0);
    rates.countGuess('a', at * 1_000);
  }
  assert.equal(rates.guessWaitMs('a', 5_000), 55_000);
  assert.equal(rates.guessWaitMs('b', 5_000), 0);
  assert.equal(rates.guessWaitMs('a', 60_000), 0);
  rates.countGuess('a', 60_000);
  assert.equal(rates.guessWaitMs('a', 60_000), 1_000);
});

test('the calls of one agent do not count for another, nor refusals for calls', () => {
  const rates = new CallRates();
  for (let at = 0; at < CALLS_AT_ONCE_MAX; at++) assert.equal(rates.takeCall('a', 0), 0);
  assert.ok(rates.takeCall('a', 0) > 0);
  assert.equal(rates.takeCall('b', 0), 0);
  assert.equal(rates.takeRefusal('a', 0), true);
  assert.equal(rates.takeCall('a', 1_000), 0);
});
