import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anOrder } from '../../../test/support/order/an-order.ts';
import { collected, executionOf, leased, snapshotted } from '../../../test/support/run/an-execution.ts';
import type { CheckResult } from '../execution/check-result.ts';
import type { Fact, Outcome } from '../execution/fact.ts';
import type { WorkVerdict } from '../order/work-verdict.ts';
import { judgeResult } from './judge-result.ts';

const result = (id: string, found: CheckResult['result']): CheckResult => ({
  ...{
    id,
    kind: 'check',
    result: found,
    message: `${id}: ${found}`,
    command: id,
    exitCode: 0,
    tail: '',
    durationMs: 1,
  },
});
const theirs = (verdict: WorkVerdict): Outcome => ({ verdict, code: null, message: 'theirs', attempts: [] });
const spend = { costUsd: 0, tokens: 0, tokensInput: 0, tokensOutput: 0, tier: null };
const ended: Fact = {
  ...{ kind: 'ended', runId: 'r1', end: { kind: 'finished', claim: null }, spend, warnings: [], progress: null, at: 1 },
};

function judged(results: readonly CheckResult[], verdict: WorkVerdict) {
  const verified: Fact = { kind: 'verified', runId: 'r1', results, made: [], commit: null };
  const execution = executionOf(
    anOrder({ checks: ['npm test'] }),
    snapshotted({ commit: 'c' }),
    leased('r1'),
    ended,
    collected('r1'),
    verified,
  );
  return judgeResult(execution, theirs(verdict));
}

test('the verdict of the other node stands where its findings carry it', () => {
  assert.deepEqual(judged([result('npm test', 'passed')], 'checked'), theirs('checked'));
  assert.deepEqual(judged([result('npm test', 'passed')], 'partial'), theirs('partial'));
  assert.deepEqual(judged([result('npm test', 'passed')], 'failed'), theirs('failed'));
});

test('a node that left a check out, or says that a failed one passed, has not checked the work', () => {
  assert.equal(judged([result('npm test', 'could-not-run')], 'checked').verdict, 'unchecked');
  assert.equal(judged([], 'checked').verdict, 'unchecked');
  const failed = judged([result('npm test', 'failed')], 'checked');
  assert.equal(failed.verdict, 'failed');
  assert.match(failed.message, /npm test: failed/);
});
