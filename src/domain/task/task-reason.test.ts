import assert from 'node:assert/strict';
import { test } from 'node:test';
import { causedBy, type TaskCause } from './task-reason.ts';

const REASONS: readonly (readonly [cause: TaskCause, text: string])[] = [
  [{ kind: 'claimed' }, 'claim'],
  [{ kind: 'retried' }, 'retry'],
  [{ kind: 'run-ended', end: 'session_end', outcome: null }, 'session_end_reclaim'],
  [{ kind: 'run-ended', end: 'stale_heartbeat', outcome: 'needs_review' }, 'stale_heartbeat_needs_review'],
  [{ kind: 'run-ended', end: 'machine_restarted', outcome: 'partial' }, 'machine_restarted_partial'],
  [{ kind: 'failed', code: 'E_UNKNOWN', message: 'npm test: exit 1' }, 'E_UNKNOWN: npm test: exit 1'],
];

for (const [cause, reason] of REASONS) {
  test(`${reason} is written for ${JSON.stringify(cause)}, with its cause beside it`, () => {
    assert.deepEqual(causedBy(cause), { reason, cause });
  });
}
