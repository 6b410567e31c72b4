import assert from 'node:assert/strict';
import { test } from 'node:test';
import { causedBy, type TaskCause } from '../../domain/task/task-reason.ts';
import { reasonText } from './reason-text.ts';

const CAUSES: readonly (readonly [cause: TaskCause, shown: string])[] = [
  [{ kind: 'claimed' }, 'taken by an agent'],
  [{ kind: 'retried' }, 'another round was asked for'],
  [{ kind: 'run-ended', end: 'stale_heartbeat', outcome: null }, 'its agent went silent before it reported anything'],
  [
    { kind: 'run-ended', end: 'stale_heartbeat', outcome: 'needs_review' },
    'its agent reported needs review and then went silent',
  ],
  [{ kind: 'run-ended', end: 'session_end', outcome: null }, 'its agent ended without a report'],
  [{ kind: 'run-ended', end: 'session_end', outcome: 'done' }, 'its agent reported done'],
  [
    { kind: 'run-ended', end: 'machine_restarted', outcome: 'partial' },
    'its agent reported partial before the machine went down',
  ],
  [{ kind: 'failed', code: 'E_UNKNOWN', message: 'test -f a_b: exit 1' }, 'test -f a_b: exit 1'],
  [{ kind: 'failed', code: 'E_TIMEOUT', message: 'it took too long' }, 'E_TIMEOUT: it took too long'],
  [{ kind: 'failed', code: 'E_UNKNOWN', message: 'see \u001b[31mthis' }, 'see \\u001b[31mthis'],
];

for (const [cause, shown] of CAUSES) {
  const { reason } = causedBy(cause);
  test(`the cause of ${JSON.stringify(reason)} is told as ${JSON.stringify(shown)}`, () => {
    assert.equal(reasonText({ reason, cause }), shown);
  });
  test(`${JSON.stringify(reason)} without a cause is what somebody wrote`, () => {
    assert.equal(reasonText({ reason, cause: null }), reason.replace('\u001b', '\\u001b'));
  });
}

test('no reason, an empty one, and one with control characters', () => {
  assert.equal(reasonText({ reason: null, cause: null }), null);
  assert.equal(reasonText({ reason: '', cause: null }), null);
  assert.equal(reasonText({ reason: 'see \u001b[31mthis', cause: null }), 'see \\u001b[31mthis');
});
