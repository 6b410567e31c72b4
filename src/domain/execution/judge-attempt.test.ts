import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { anOrder } from '../../../test/support/order/an-order.ts';
import {
  collected,
  ended,
  executionOf,
  FINISHED,
  failedBy,
  leased,
  result,
  snapshotted,
  verified,
} from '../../../test/support/run/an-execution.ts';
import { attempt, claiming, FAILED, judge, PASSED, short } from '../../../test/support/run/judged-attempt.ts';
import type { CheckResult, MadeCheck } from './check-result.ts';
import type { AttemptEnd } from './fact.ts';
import { judgeAttempt } from './judge-attempt.ts';

const UNRUN = result('npm test', { result: 'could-not-run', message: 'npm test: exit 127: a program was not found' });

const NO_WAY = result('TEXT 1', { kind: 'output', result: 'not-checkable' });

describe('an end that is no work to look at', () => {
  const rows: [AttemptEnd, string][] = [
    [{ kind: 'lost' }, 'lost'],
    [{ kind: 'stopped', by: 'operator' }, 'aborted null'],
    [failedBy('timeout'), 'failed failed timeout'],
    [failedBy('malformed-answer'), 'failed failed malformed-answer'],
  ];
  for (const [end, want] of rows) test(`${end.kind}: ${want}`, () => assert.equal(short(judge(anOrder(), end)), want));
  test('is not judged before it is there', () => {
    assert.throws(
      () => judgeAttempt({ order: anOrder(), snapshotted: null }, attempt(anOrder(), leased('r1'))),
      /once it is over/,
    );
  });
});

describe('work that was looked at', () => {
  const rows: [string, AttemptEnd, readonly CheckResult[], string][] = [
    ['every check passed', FINISHED, [PASSED], 'checked'],
    ['a check failed', FINISHED, [PASSED, FAILED], 'failed failed unknown'],
    ['a check could not run', FINISHED, [UNRUN], 'unchecked'],
    ['a check could not run, and another failed', FINISHED, [UNRUN, FAILED], 'failed failed unknown'],
    ['a check could not run, and the agent failed', claiming({ result: 'failed' }), [UNRUN], 'failed failed unknown'],
    ['an output could not be checked', FINISHED, [{ ...UNRUN, kind: 'output' }], 'failed failed unknown'],
    ['an output failed', FINISHED, [{ ...FAILED, kind: 'output' }], 'failed failed unknown'],
    ['nothing was there to check', FINISHED, [], 'unchecked'],
    ['nothing could be checked', FINISHED, [NO_WAY], 'unchecked'],
    ['some could be checked', FINISHED, [NO_WAY, PASSED], 'checked'],
    ['it says so too', claiming({}), [PASSED], 'checked'],
    ['it says so, and nothing was there to check', claiming({}), [], 'unchecked'],
    ['it says so, and a check failed', claiming({}), [FAILED], 'failed failed unknown'],
    ['it says that a part is missing', claiming({ result: 'partial' }), [PASSED], 'partial'],
    ['it gives no result', claiming({ result: null }), [PASSED], 'checked'],
    ['it says that it failed', claiming({ result: 'failed' }), [PASSED], 'failed failed unknown'],
    ['it says that it gave up', claiming({ result: 'aborted' }), [PASSED], 'failed aborted unknown'],
    [
      'it says by what it failed',
      claiming({ result: 'failed', code: 'model-unavailable' }),
      [PASSED],
      'failed failed model-unavailable',
    ],
    [
      'it says by what it failed, and so the checks failed too',
      claiming({ result: 'failed', code: 'model-unavailable' }),
      [FAILED],
      'failed failed model-unavailable',
    ],
  ];
  for (const [name, end, results, want] of rows) {
    test(`${name}: ${want}`, () => assert.equal(short(judge(anOrder(), end, results)), want));
  }
  test('a failure tells the sentence of what failed', () => {
    const verdict = judge(anOrder(), FINISHED, [PASSED, FAILED]);
    assert.equal('message' in verdict && verdict.message, 'npm test: exit 1, expected 0');
  });
});

describe('a check that could not run after the work', () => {
  const order = anOrder({ checks: ['npm test'], isInWords: true });
  const made = (some: Partial<MadeCheck>): readonly MadeCheck[] => [
    { ...unmade('npm test'), result: 'could-not-run', reason: 'r', ...some },
  ];
  const rows: [string, CheckResult, readonly MadeCheck[], string][] = [
    ['nor before it', UNRUN, made({ exitCode: 127 }), 'unchecked'],
    ['lacks a program since', PASSED, made({ exitCode: 127 }), 'failed failed unknown'],
    ['is killed since', FAILED, made({ signal: 'SIGKILL' }), 'failed failed unknown'],
    ['was not started by Baton', PASSED, made({}), 'unchecked'],
    ['leads out of the workspace since', PASSED, made({ argv: null }), 'failed failed unknown'],
  ];
  for (const [name, before, after, want] of rows) {
    test(`${name}: ${want}`, () => {
      const execution = executionOf(order, snapshotted({ checks: [before] }), [
        leased('r1'),
        ended('r1', FINISHED),
        collected('r1'),
        verified('r1', [UNRUN], { made: after }),
      ]);
      const last = execution.attempts.at(-1);
      assert.ok(last);
      const verdict = judgeAttempt(execution, last);
      assert.equal(short(verdict), want);
      const said = 'message' in verdict ? verdict.message : '';
      assert.equal(said.startsWith('a check could not run: npm test: '), want.endsWith('unchecked'), said);
    });
  }
});

/** A check that has no finding yet. */
function unmade(command: string): Omit<MadeCheck, 'result' | 'reason'> {
  const none = { exitCode: null, signal: null, stdoutTail: '', stderrTail: '', durationMs: 0 };
  return { id: `check ${command}`, kind: 'check', command, argv: ['npm'], expects: 'exit-code-0', path: null, ...none };
}

test('what was written without a grant is a failure, whatever the checks and the agent say', () => {
  const facts = [
    leased('r1'),
    ended('r1', claiming({})),
    collected('r1', { violations: ['/etc/x'] }),
    verified('r1', [PASSED]),
  ];
  assert.equal(
    short(judgeAttempt({ order: anOrder(), snapshotted: null }, attempt(anOrder(), facts))),
    'failed failed permission-denied',
  );
});
