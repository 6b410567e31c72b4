import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { anOrder } from '../../../test/support/order/an-order.ts';
import {
  attemptOf,
  collected,
  ended,
  executionOf,
  FINISHED,
  failedBy,
  launched,
  leased,
  requeued,
  result,
} from '../../../test/support/run/an-execution.ts';
import { after, LOST, models, policy, short, TIMEOUT, tried } from '../../../test/support/run/tried-attempts.ts';
import type { OutOfQuota } from '../agent/quota.ts';
import { QUOTA_PATIENCE_MS, RUNS_LOST_IN_A_ROW_MAX, STARTS_LOST_IN_A_ROW_MAX } from '../limits.ts';
import { retriesUsed, type Sequel } from './choose-fallback.ts';
import type { AttemptEnd, Fact } from './fact.ts';

describe('runs that are lost with their node', () => {
  test('go on at once, and do not count', () => {
    assert.equal(short(after({}, tried([LOST, null]))), 'target after 0 ms');
    assert.equal(short(after({}, tried([LOST, null], [LOST, null]))), 'target after 0 ms');
    assert.equal(retriesUsed(executionOf(anOrder(), tried([LOST, null], [LOST, null], [TIMEOUT, null]))), 0);
  });
  const CLEAN: AttemptEnd = { kind: 'lost', isCleanStop: true };
  const times = (count: number, end: AttemptEnd) => Array.from({ length: count }, () => [end, null] as const);
  test('go on until their node has died in each of very many in a row', () => {
    const most = times(RUNS_LOST_IN_A_ROW_MAX, LOST);
    assert.equal(short(after({}, tried(...most.slice(1)))), 'target after 0 ms');
    assert.equal(short(after({}, tried(...most))), 'failed process-crashed');
  });
  test('go on if their agents were not launched, as long as there are not very many', () => {
    const starts = (count: number) =>
      Array.from({ length: count }, (_, at) => [leased(`s${at}`), ended(`s${at}`, LOST), requeued()]).flat();
    const almost = times(RUNS_LOST_IN_A_ROW_MAX - 1, LOST);
    assert.equal(short(after({}, starts(RUNS_LOST_IN_A_ROW_MAX), tried(...almost))), 'target after 0 ms');
    assert.equal(short(after({}, starts(STARTS_LOST_IN_A_ROW_MAX).slice(0, -1))), 'failed process-crashed');
  });
  test('go on for ever if their node was stopped cleanly', () => {
    const many = times(3 * RUNS_LOST_IN_A_ROW_MAX, CLEAN);
    assert.equal(short(after({}, tried(...many))), 'target after 0 ms');
    const half = times(RUNS_LOST_IN_A_ROW_MAX - 1, LOST);
    assert.equal(short(after({}, tried(...half, [CLEAN, null], ...half))), 'target after 0 ms');
  });
  test('that are not in a row are not given up', () => {
    const half = times(RUNS_LOST_IN_A_ROW_MAX - 1, LOST);
    const facts = tried(...half, [TIMEOUT, null], ...half);
    assert.equal(short(after(policy({ retriesMax: 3 }), facts)), 'target after 0 ms');
  });
  test('of an alternative go on with it', () => {
    assert.equal(short(after({ alternatives: models('timeout') }, tried([TIMEOUT, null], [LOST, 0]))), '0 after 0 ms');
  });
});

describe('once somebody asked to stop', () => {
  const stop: Fact = { kind: 'stop-requested', by: 'operator' };
  const some = { ...policy({ retriesMax: 3 }), alternatives: models('first-error') };
  const rows: [string, readonly Fact[], string][] = [
    ['a failure is not retried', tried([TIMEOUT, null]), 'aborted null'],
    ['a lost run is not retried', tried([LOST, null]), 'aborted null'],
    ['what was stopped is aborted', tried([{ kind: 'stopped', by: 'operator' }, null]), 'aborted null'],
    ['what had passed by then has passed', attemptOf('r1', FINISHED, [result('npm test')]), 'checked null'],
    [
      'checks that were not made are no failure',
      attemptOf('r1', FINISHED, [result('npm test', { result: 'could-not-run' })]),
      'aborted null',
    ],
  ];
  for (const [name, facts, want] of rows)
    test(`${name}: ${want}`, () => assert.equal(short(after(some, facts, stop)), want));
  test('it says who', () => {
    const sequel = after(some, tried([TIMEOUT, null]), stop);
    assert.equal(sequel.kind === 'settle' && sequel.outcome.message, 'stopped by operator');
  });
});

describe('a session that the vendor did not take up again', () => {
  const CRASH = failedBy('process-crashed', 'it is gone');
  const refused = (runId: string): readonly Fact[] => [
    leased(runId),
    launched(runId, { resumed: 's-1' }),
    ended(runId, CRASH),
    collected(runId),
  ];
  test('costs no retry and no alternative: the same agent begins afresh, at once', () => {
    const facts = [...tried([TIMEOUT, null]), ...refused('r9')];
    const some = { ...policy({ retriesMax: 1 }), alternatives: models('first-error') };
    const sequel = after(some, facts);
    assert.equal(short(sequel), 'target after 0 ms');
    assert.match(
      sequel.kind === 'again' ? sequel.reason : '',
      /session s-1 again, so the agent starts afresh: it is gone/,
    );
    assert.equal(retriesUsed(executionOf(anOrder(), facts)), 0);
  });
  test('does not hold up a stop', () => {
    const stop: Fact = { kind: 'stop-requested', by: 'operator' };
    assert.equal(short(after({}, refused('r1'), stop)), 'aborted null');
  });
});

describe('out of quota', () => {
  const refused = (some: Partial<OutOfQuota> = {}): OutOfQuota => ({
    kind: 'out-of-quota',
    account: 'claude:0a',
    message: 'no more',
    scope: null,
    resetsAt: 60_000,
    until: 61_000,
    onQuota: 'wait',
    ...some,
  });
  const waits = (sequel: Sequel) => sequel.kind === 'again' && sequel.quota?.until;

  test('the same agent goes on after the reset, however many retries are left, and none is used', () => {
    for (const some of [{}, policy({ retriesMax: 3 }), { isInWords: true }]) {
      const facts = tried([refused(), null], [refused({ until: 90_000 }), null]);
      assert.equal(waits(after(some, facts)), 90_000);
      assert.equal(retriesUsed(executionOf(anOrder(some), facts)), 0);
    }
  });

  test('a wait beyond the patience, and a lack of credit, are not waited for', () => {
    assert.equal(
      short(after({}, tried([refused({ until: QUOTA_PATIENCE_MS * 2 }), null]))),
      'failed model-unavailable',
    );
    assert.equal(short(after({}, tried([refused({ scope: 'credit' }), null]))), 'failed model-unavailable');
    // The patience counts from the first refusal, not from the last.
    const long = tried([refused(), null], [refused({ until: QUOTA_PATIENCE_MS + 3_000 }), null]);
    assert.equal(short(after({}, long)), 'failed model-unavailable');
  });

  test('an alternative that the order names for it goes on at once', () => {
    for (const trigger of ['first-error', 'critical-error'] as const) {
      assert.equal(short(after({ alternatives: models(trigger) }, tried([refused(), null]))), '0 after 0 ms');
    }
    assert.equal(waits(after({ alternatives: models('timeout') }, tried([refused(), null]))), 61_000);
    assert.equal(waits(after({ alternatives: models('all-errors') }, tried([refused(), null]))), 61_000);
    const other = tried([refused({ onQuota: 'other' }), null]);
    assert.equal(short(after({ alternatives: models('all-errors') }, other)), '0 after 0 ms');
  });

  test('a stop wins over the wait', () => {
    const sequel = after({}, tried([refused(), null]), { kind: 'stop-requested', by: 'operator' });
    assert.equal(short(sequel), 'aborted null');
  });
});
