import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentSignal } from '../../domain/agent/agent-signal.ts';
import { addSignal, NOTHING_HEARD, unavailable } from './run-tally.ts';

const NOW = { monotonicMs: 0, wallMs: 1_000_000 };
const tallyOf = (...signals: AgentSignal[]) =>
  signals.reduce((tally, signal) => addSignal(tally, signal, NOW), NOTHING_HEARD);
const QUOTA: AgentSignal = { kind: 'quota', message: 'no more', resets: { kind: 'in', ms: 5_000 }, scope: 'day' };

test('the last refusal counts, with what an earlier one said beside it', () => {
  assert.deepEqual(tallyOf(QUOTA).quota, { message: 'no more', resetsAt: 1_005_000, scope: 'day' });
  const again: AgentSignal = { kind: 'quota', message: 'still no more', resets: null, scope: null };
  assert.deepEqual(tallyOf(QUOTA, again).quota, { message: 'still no more', resetsAt: 1_005_000, scope: 'day' });
});

test('a model that answers after a refusal is not out of quota', () => {
  assert.equal(tallyOf(QUOTA, { kind: 'words', text: 'on it' }).quota, null);
  assert.notEqual(tallyOf(QUOTA, { kind: 'output', stream: 'stdout', text: 'x' }).quota, null);
  const message = { eventId: null, type: 'TURN', envelope: '{}', fact: { kind: 'other' } } as const;
  assert.notEqual(tallyOf({ kind: 'words', text: 'on it' }, QUOTA, { kind: 'trace', message }).quota, null);
});

test('a model that has begun to answer is no longer tried again, however long its first words take', () => {
  const retry: AgentSignal = { kind: 'retrying', attempt: 1, status: 529, message: 'busy' };
  assert.notEqual(tallyOf(retry).retrying, null);
  assert.equal(tallyOf(retry, { kind: 'answering' }).retrying, null);
});

test('an agent that would wait for long by itself is out of quota, one that retries soon is not', () => {
  const retry = (ms: number): AgentSignal => {
    return { kind: 'retrying', attempt: 1, status: 429, message: 'busy', resets: { kind: 'in', ms } };
  };
  assert.equal(tallyOf(retry(60_000)).failure, null);
  const { failure, quota } = tallyOf(retry(60_001));
  assert.deepEqual([failure?.code, quota?.resetsAt], ['model-unavailable', 1_060_001]);
});

test('an agent that was refused once and then waits is out of quota, one that tried again or was not refused is not', () => {
  const retry = (status: number | null): AgentSignal => ({ kind: 'retrying', attempt: 1, status, message: 'no' });
  const { failure, quota } = unavailable(tallyOf(retry(429)));
  assert.deepEqual([failure?.code, quota], ['model-unavailable', { message: 'no', resetsAt: null, scope: null }]);
  for (const tries of [[retry(429), retry(429)], [retry(500)], [retry(null)]]) {
    const { failure, quota } = unavailable(tallyOf(...tries));
    assert.deepEqual([failure?.code, quota], ['model-unavailable', null]);
  }
});
