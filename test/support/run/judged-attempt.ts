import assert from 'node:assert/strict';
import type { CheckResult } from '../../../src/domain/execution/check-result.ts';
import type { Attempt } from '../../../src/domain/execution/execution.ts';
import type { AttemptEnd, Fact } from '../../../src/domain/execution/fact.ts';
import type { Claim } from '../../../src/domain/execution/findings.ts';
import { type AttemptVerdict, judgeAttempt } from '../../../src/domain/execution/judge-attempt.ts';
import type { Checkpoint, Order, RecoveryStrategy } from '../../../src/domain/order/order.ts';
import { attemptOf, executionOf, result } from './an-execution.ts';

export const checkpoint = (id: string, onFailure: RecoveryStrategy): Checkpoint => ({
  id,
  description: 'd',
  artifacts: [],
  validation: null,
  onFailure,
});

export function attempt(order: Order, ...facts: readonly (Fact | readonly Fact[])[]): Attempt {
  const last = executionOf(order, ...facts).attempts.at(-1);
  assert.ok(last);
  return last;
}

export function judge(order: Order, end: AttemptEnd, results: readonly CheckResult[] = []): AttemptVerdict {
  return judgeAttempt({ order, snapshotted: null }, attempt(order, attemptOf('r1', end, results)));
}

/** The kind and the distinguishing field of a verdict. */
export function short(verdict: AttemptVerdict): string {
  switch (verdict.kind) {
    case 'passed':
      return verdict.verdict;
    case 'failed':
      return `failed ${verdict.verdict} ${verdict.code}`;
    case 'blocked':
      return `blocked ${verdict.code}`;
    case 'aborted':
      return `aborted ${verdict.code}`;
    case 'checkpoint-failed':
      return `checkpoint-failed ${verdict.checkpoint}`;
    case 'out-of-quota':
    case 'lost':
      return verdict.kind;
  }
}

export const claiming = (some: Partial<Claim>): AttemptEnd => ({
  kind: 'finished',
  claim: { result: 'done', code: null, message: 'as it says', text: '{}', ...some },
});

export const PASSED = result('npm test');

export const FAILED = result('npm test', { result: 'failed', message: 'npm test: exit 1, expected 0' });

export const at = (id: string, found: CheckResult['result']): CheckResult =>
  result(id, { kind: 'checkpoint', result: found, message: found });
