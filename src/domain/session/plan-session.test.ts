import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planSession, type SessionFindings } from './plan-session.ts';
import { replaySession, type SessionFact } from './session.ts';
import { makeSessionReport } from './session-report.ts';
import type { SessionTerms } from './session-terms.ts';

const TERMS: SessionTerms = {
  name: '',
  pattern: 'PARALLEL',
  costUsdMax: 2,
  awakeSecondsMax: 60,
  atOnceMax: null,
  checks: [],
};
const SUBMITTED: SessionFact = { kind: 'submitted', terms: TERMS, tasks: 2, awakeMs: 5_000, by: 'operator' };
const STOPPED: SessionFact = { kind: 'stopped', cause: 'operator', by: 'anna', message: 'stopped by anna' };
const REPORTED: SessionFact = {
  kind: 'reported',
  report: makeSessionReport({ sessionId: 'S', name: '', pattern: 'PARALLEL', stop: null, startedAt: 0, members: [] }),
};
const REOPENED: SessionFact = {
  kind: 'reopened',
  tasks: [],
  terms: { ...TERMS, costUsdMax: 9 },
  awakeMs: 100_000,
  by: 'operator',
};

function step(facts: readonly SessionFact[], found: Partial<SessionFindings> = {}) {
  return planSession({ session: replaySession(facts), openOrders: 1, costUsd: 0, awakeMs: 5_000, ...found });
}

test('a session with open orders rests, one without is reported, a reported one rests', () => {
  assert.deepEqual(step([SUBMITTED]), { kind: 'rest' });
  assert.deepEqual(step([SUBMITTED], { openOrders: 0 }), { kind: 'report' });
  assert.deepEqual(step([SUBMITTED, STOPPED], { openOrders: 0 }), { kind: 'report' });
  assert.deepEqual(step([SUBMITTED, REPORTED], { openOrders: 0 }), { kind: 'rest' });
});

test('a session that has cost more than its cap is stopped once; exactly its cap is not more', () => {
  assert.deepEqual(step([SUBMITTED], { costUsd: 2 }), { kind: 'rest' });
  const over = step([SUBMITTED], { costUsd: 2.01 });
  assert.equal(over.kind === 'stop' && over.stop.cause, 'budget');
  assert.deepEqual(step([SUBMITTED, STOPPED], { costUsd: 2.01 }), { kind: 'rest' });
});

test('its time limit counts awake time from its submission on', () => {
  assert.deepEqual(step([SUBMITTED], { awakeMs: 64_999 }), { kind: 'rest' });
  const late = step([SUBMITTED], { awakeMs: 65_000 });
  assert.equal(late.kind === 'stop' && late.stop.cause, 'deadline');
});

test('a reopened session is open again, with its new limits and a new start of its time', () => {
  const facts = [SUBMITTED, STOPPED, REPORTED, REOPENED];
  assert.deepEqual(step(facts, { costUsd: 8, awakeMs: 159_999 }), { kind: 'rest' });
  assert.equal(step(facts, { costUsd: 9.5 }).kind, 'stop');
  assert.equal(step(facts, { awakeMs: 160_000 }).kind, 'stop');
  assert.deepEqual(step(facts, { openOrders: 0 }), { kind: 'report' });
});
