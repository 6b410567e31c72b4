import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QUOTA_BACKOFF_MS, QUOTA_BACKOFF_MS_MAX, QUOTA_JITTER_MS, QUOTA_WAIT_MS_MAX } from '../limits.ts';
import { quotaUntil, resetInstant } from './quota.ts';

const NOW = new Date(2026, 10, 16, 22, 0).getTime();
const HOUR = 3_600_000;

test('a reset is an instant, a duration, or the next time a clock shows it', () => {
  assert.equal(resetInstant({ kind: 'at', wallMs: NOW + 5 }, NOW), NOW + 5);
  assert.equal(resetInstant({ kind: 'in', ms: 5 }, NOW), NOW + 5);
  assert.equal(resetInstant({ kind: 'at-time', hour: 23, minute: 30 }, NOW), NOW + 1.5 * HOUR);
  assert.equal(resetInstant({ kind: 'at-time', hour: 1, minute: 0 }, NOW), NOW + 3 * HOUR);
  assert.equal(resetInstant({ kind: 'at', wallMs: Number.NaN }, NOW), null);
  assert.equal(resetInstant(null, NOW), null);
});

test('an account is tried again soon after its reset, and never before it', () => {
  for (let minutes = 1; minutes < 7 * 24 * 60; minutes += 97) {
    const resetsAt = NOW + minutes * 60_000;
    const until = quotaUntil({ resetsAt, nowMs: NOW, hitsBefore: minutes % 5, seed: `run_${minutes}` });
    assert.ok(until >= resetsAt && until <= resetsAt + QUOTA_JITTER_MS, `${minutes} minutes`);
  }
});

test('a reset that is missing, over or no number becomes a wait that grows up to its bound', () => {
  for (const resetsAt of [null, Number.NaN, NOW - 1, NOW, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]) {
    const waits = [0, 1, 2, 50].map((hitsBefore) => quotaUntil({ resetsAt, nowMs: NOW, hitsBefore, seed: '' }) - NOW);
    const least = [QUOTA_BACKOFF_MS, 2 * QUOTA_BACKOFF_MS, 4 * QUOTA_BACKOFF_MS, QUOTA_BACKOFF_MS_MAX];
    waits.forEach((wait, at) => {
      assert.ok(wait >= (least[at] ?? 0) && wait <= (least[at] ?? 0) + QUOTA_JITTER_MS, `${resetsAt} ${at}`);
    });
  }
});

test('an absurd reset is bounded, and several tasks do not come at the same instant', () => {
  const far = quotaUntil({ resetsAt: NOW + 400 * 24 * HOUR, nowMs: NOW, hitsBefore: 0, seed: 'a' });
  assert.ok(far <= NOW + QUOTA_WAIT_MS_MAX + QUOTA_JITTER_MS);
  const seeds = Array.from({ length: 50 }, (_, at) => `run_${at}`);
  const instants = new Set(seeds.map((seed) => quotaUntil({ resetsAt: NOW + HOUR, nowMs: NOW, hitsBefore: 0, seed })));
  assert.ok(instants.size > 40);
});
