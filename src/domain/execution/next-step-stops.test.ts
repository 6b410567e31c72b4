import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { anOrder } from '../../../test/support/order/an-order.ts';
import {
  admitted,
  attemptOf,
  collected,
  ended,
  FINISHED,
  failedBy,
  launched,
  leased,
  requeued,
  rolledBack,
  snapshotted,
} from '../../../test/support/run/an-execution.ts';
import { KEPT, RETRIED, RUN, STOP, step } from '../../../test/support/run/step-of.ts';
import type { Fact } from './fact.ts';

describe('a stop that is asked for', () => {
  const kinds = (facts: readonly (Fact | readonly Fact[])[]) => {
    const found = step(RETRIED, ...facts, STOP);
    return found.kind === 'settle' ? `settle ${found.outcome.verdict}` : found.kind;
  };
  const failed = attemptOf('r1', failedBy('timeout'));
  const lost = attemptOf('r1', { kind: 'lost' });
  const rows: [string, readonly (Fact | readonly Fact[])[], string][] = [
    ['before it is admitted: that is still to be done', [], 'admit'],
    ['before anything is kept', [admitted()], 'settle aborted'],
    ['before its lease', [admitted(), snapshotted()], 'settle aborted'],
    ['before its lease, with files kept', [admitted(), KEPT], 'roll-back'],
    ['before it is started: who starts it sees that', [admitted(), snapshotted(), leased('r1')], 'launch'],
    ['while it runs: who watches it ends it', [admitted(), snapshotted(), leased('r1'), launched('r1')], 'watch'],
    [
      'after it was stopped',
      [admitted(), snapshotted(), leased('r1'), ended('r1', { kind: 'stopped', by: 'o' })],
      'collect',
    ],
    [
      'after what it left was looked at',
      [admitted(), snapshotted(), attemptOf('r1', { kind: 'stopped', by: 'o' })],
      'settle aborted',
    ],
    ['after it failed', [admitted(), snapshotted(), failed], 'settle aborted'],
    ['while it waits for its retry', [admitted(), snapshotted(), failed, requeued({ dueAt: 9 })], 'settle aborted'],
    ['while it waits, with files kept', [admitted(), KEPT, failed, requeued({ dueAt: 9 })], 'roll-back'],
    ['after it was lost', [admitted(), snapshotted(), lost], 'collect'],
    ['after it was lost and looked at', [admitted(), snapshotted(), lost, collected('r1')], 'settle aborted'],
    ['after it was lost, while it waits for the next', [admitted(), snapshotted(), lost, requeued()], 'collect'],
    ['after it was lost, with files kept', [admitted(), KEPT, lost, collected('r1'), requeued()], 'roll-back'],
    ['after it passed', [admitted(), snapshotted(), RUN], 'settle checked'],
  ];
  for (const [name, facts, want] of rows) test(`${name}: ${want}`, () => assert.equal(kinds(facts), want));
});

describe('files that were kept', () => {
  const putBack = (status: 'restored' | 'failed') =>
    rolledBack({ files: [{ path: 'a', restoredFrom: '/data/a', status }] });
  const failed = [admitted(), KEPT, attemptOf('r1', failedBy('timeout', 'too slow'))];

  test('are put back after a failure', () => {
    assert.deepEqual(step(anOrder(), ...failed), { kind: 'roll-back', trigger: 'failed' });
  });
  test('are put back after a stop', () => {
    const facts = [admitted(), KEPT, attemptOf('r1', { kind: 'stopped', by: 'operator' })];
    assert.deepEqual(step(anOrder(), ...facts), { kind: 'roll-back', trigger: 'aborted' });
  });
  test('are put back after the last attempt, not between two', () => {
    assert.equal(step(RETRIED, ...failed).kind, 'requeue');
  });
  test('stay as they are after a success, whole or in part', () => {
    assert.equal(step(anOrder(), admitted(), KEPT, RUN).kind, 'settle');
    const unchecked = step(anOrder(), admitted(), KEPT, attemptOf('r1', FINISHED));
    assert.equal(unchecked.kind === 'settle' && unchecked.outcome.verdict, 'unchecked');
  });
  test('that are back as they were leave the error as it is', () => {
    const found = step(anOrder(), ...failed, putBack('restored'));
    assert.equal(found.kind === 'settle' && found.outcome.code, 'timeout');
  });
  test('that could not be put back are the error', () => {
    const found = step(anOrder(), ...failed, putBack('failed'));
    assert.ok(found.kind === 'settle');
    assert.equal(found.outcome.verdict, 'failed');
    assert.equal(found.outcome.code, 'rollback-failed');
    assert.equal(found.outcome.message, 'could not put back a; before that: E_TIMEOUT: too slow');
  });
});
