import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { anOrder } from '../../../test/support/order/an-order.ts';
import { attemptOf, executionOf, FINISHED, failedBy, requeued } from '../../../test/support/run/an-execution.ts';
import type { FailureCode } from '../refusal.ts';
import type { AttemptEnd, Fact } from './fact.ts';
import { dispatchRetryMs, isGivenUp } from './judge-dispatch.ts';

const unstarted = (code: FailureCode): AttemptEnd => ({ ...failedBy(code), isNotStarted: true }) as AttemptEnd;
const FAULT = unstarted('process-crashed');
const MISSING = unstarted('agent-not-found');
const CRASH = failedBy('process-crashed');
const LOST: AttemptEnd = { kind: 'lost' };

function after(ends: readonly AttemptEnd[], origin = 'TASK') {
  const facts = ends.flatMap((end, at): readonly Fact[] => [
    ...(at === 0 ? [] : [requeued()]),
    ...attemptOf(`r${at}`, end),
  ]);
  return { ...executionOf(anOrder({ origin }), facts), message: null };
}

const codeOf = (end: AttemptEnd | undefined): FailureCode => (end?.kind === 'failed' ? end.code : 'unknown');

describe('the dispatch of a task by hand', () => {
  const rows: [string, readonly AttemptEnd[], number | null, boolean][] = [
    ['one failed start', [FAULT], 60_000, false],
    ['two', [FAULT, FAULT], 180_000, false],
    ['three', [FAULT, FAULT, FAULT], 540_000, false],
    ['four', [FAULT, FAULT, FAULT, FAULT], null, true],
    ['a program that is missing', [MISSING], null, true],
    ['a program that is missing after faults', [FAULT, MISSING], null, true],
    ['permission denied', [unstarted('permission-denied')], null, true],
    ['a run that was lost in between does not count', [FAULT, LOST, FAULT], 180_000, false],
    ['an agent that started and failed', [CRASH], null, false],
    ['an agent that started, and whose program is gone then', [CRASH, MISSING], null, false],
    ['a start that fails after one that did not', [FAULT, CRASH, FAULT], 60_000, false],
    ['work that ended', [FINISHED], null, false],
  ];
  for (const [name, ends, waitMs, givenUp] of rows) {
    test(name, () => {
      const execution = after(ends);
      const code = codeOf(ends.at(-1));
      assert.deepEqual([dispatchRetryMs(execution, code), isGivenUp(execution, code)], [waitMs, givenUp]);
    });
  }
});

test('an order that was sent has retries of its own, whatever origin it names', () => {
  assert.equal(dispatchRetryMs(after([FAULT], 'CLI'), 'process-crashed'), null);
  assert.equal(dispatchRetryMs({ ...after([FAULT]), message: {} }, 'process-crashed'), null);
});
