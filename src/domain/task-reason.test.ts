import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeReason, encodeReason, type OwnReason } from './task-reason.ts';

const REASONS: readonly (readonly [reason: OwnReason, text: string])[] = [
  [{ kind: 'claimed' }, 'claim'],
  [{ kind: 'retried' }, 'retry'],
  [{ kind: 'run-ended', end: 'session_end', outcome: null }, 'session_end_reclaim'],
  [{ kind: 'run-ended', end: 'stale_heartbeat', outcome: 'needs_review' }, 'stale_heartbeat_needs_review'],
  [{ kind: 'run-ended', end: 'machine_restarted', outcome: 'partial' }, 'machine_restarted_partial'],
  [{ kind: 'failed', message: 'npm test: exit 1' }, 'E_UNKNOWN: npm test: exit 1'],
];

for (const [reason, text] of REASONS) {
  test(`${text} is written for ${JSON.stringify(reason)}, and read back`, () => {
    assert.equal(encodeReason(reason), text);
    assert.deepEqual(decodeReason(text), reason);
  });
}

test('a text of an operator or an agent is no reason of Baton', () => {
  for (const text of ['', 'a claim on something', 'session_end', 'session_end_of_term', 'E_TIMEOUT: too long'])
    assert.equal(decodeReason(text), null);
});
