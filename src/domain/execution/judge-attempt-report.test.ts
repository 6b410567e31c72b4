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
  leased,
  result,
  snapshotted,
  verified,
} from '../../../test/support/run/an-execution.ts';
import {
  at,
  attempt,
  checkpoint,
  claiming,
  FAILED,
  judge,
  PASSED,
  short,
} from '../../../test/support/run/judged-attempt.ts';
import type { Checkpoint, Order } from '../order/order.ts';
import { COMPLETION_OUTCOMES, type CompletionOutcome } from '../task/resolve-completion.ts';
import type { RunResult } from '../task/run.ts';
import type { CheckResult } from './check-result.ts';
import type { AttemptEnd, Fact } from './fact.ts';
import { type AttemptVerdict, judgeAttempt } from './judge-attempt.ts';

/** One phase for each list of checkpoints. */
function phased(...lists: readonly (readonly Checkpoint[])[]): Order {
  const phases = lists.map((checkpoints, position) => ({
    id: `P${position}`,
    position,
    label: 'l',
    objective: 'o',
    checkpoints,
  }));
  return anOrder({ phases });
}

/** A run that sent this completion report before it ended. */
function judgeReported(outcome: CompletionOutcome, end: AttemptEnd, results: readonly CheckResult[]): AttemptVerdict {
  const order = anOrder();
  const facts = attemptOf('r1', end, results).map((fact) =>
    fact.kind === 'ended' ? { ...fact, report: aReport(outcome) } : fact,
  );
  return judgeAttempt({ order, snapshotted: null }, attempt(order, facts));
}

function aReport(outcome: CompletionOutcome): RunResult {
  const tests = { total: 9, passed: 8, failed: 1 };
  const blockers = outcome === 'blocked' ? ['no key', 'no desk'] : [];
  const about = {
    summaryRef: 'outputs/summary.md',
    deliverables: [],
    notes: 'as noted',
    completedAt: 1,
    agent: 'emma',
  };
  return { outcome, tests, blockers, ...about };
}

describe('a completion report of the agent', () => {
  const found: Readonly<Record<string, readonly [AttemptEnd, readonly CheckResult[]]>> = {
    checked: [FINISHED, [PASSED]],
    unchecked: [FINISHED, []],
    'failed failed unknown': [FINISHED, [FAILED]],
    'failed failed timeout': [failedBy('timeout'), []],
    'failed failed process-crashed': [failedBy('process-crashed'), []],
    lost: [{ kind: 'lost' }, []],
  };
  for (const [own, [end, results]] of Object.entries(found)) {
    test(`beside ${own}: done proves nothing, every other outcome decides`, () => {
      const verdicts = COMPLETION_OUTCOMES.map((outcome) => short(judgeReported(outcome, end, results)));
      const review = own === 'unchecked' ? own : 'partial';
      assert.deepEqual(verdicts, [own, 'blocked unknown', review, review]);
    });
  }
  const rails: readonly AttemptEnd[] = [
    failedBy('malformed-answer'),
    failedBy('budget-exceeded'),
    { kind: 'stopped', by: 'operator' },
  ];
  for (const end of rails) {
    test(`does not outweigh ${end.kind === 'failed' ? end.code : end.kind}`, () => {
      for (const outcome of COMPLETION_OUTCOMES) {
        assert.deepEqual(judgeReported(outcome, end, []), judge(anOrder(), end));
      }
    });
  }
  test('is told apart from what Baton found', () => {
    const message = (outcome: CompletionOutcome) => {
      const verdict = judgeReported(outcome, FINISHED, [FAILED]);
      return 'message' in verdict && verdict.message;
    };
    assert.equal(message('blocked'), 'the agent reported that it is blocked: no key; no desk');
    const review = 'the agent reported that it needs a review: as noted; Baton found: npm test: exit 1, expected 0';
    assert.equal(message('needs_review'), review);
  });
});

describe('a checkpoint that does not hold', () => {
  const rows: [string, Order, readonly CheckResult[], string][] = [
    ['abort', phased([checkpoint('A', 'abort')]), [at('A', 'failed')], 'aborted unknown'],
    ['ABORT that could not run', phased([checkpoint('A', 'abort')]), [at('A', 'could-not-run')], 'aborted unknown'],
    ['retry', phased([checkpoint('A', 'retry')]), [at('A', 'failed')], 'checkpoint-failed A'],
    ['continue', phased([checkpoint('A', 'continue')]), [at('A', 'failed')], 'partial'],
    ['skip', phased([checkpoint('A', 'skip')]), [at('A', 'failed'), PASSED], 'partial'],
    ['that nothing can check', phased([checkpoint('A', 'abort')]), [at('A', 'not-checkable'), PASSED], 'checked'],
    [
      'RETRY before ABORT, in the order of the phases',
      phased([checkpoint('A', 'retry')], [checkpoint('B', 'abort')]),
      [at('A', 'failed'), at('B', 'failed')],
      'checkpoint-failed A',
    ],
    [
      'ABORT before RETRY',
      phased([checkpoint('A', 'abort')], [checkpoint('B', 'retry')]),
      [at('A', 'failed'), at('B', 'failed')],
      'aborted unknown',
    ],
    [
      'CONTINUE is passed over',
      phased([checkpoint('A', 'continue')], [checkpoint('B', 'retry')]),
      [at('A', 'failed'), at('B', 'failed')],
      'checkpoint-failed B',
    ],
    [
      'CONTINUE beside an output that failed',
      phased([checkpoint('A', 'continue')]),
      [at('A', 'failed'), { ...FAILED, kind: 'output' }],
      'failed failed unknown',
    ],
    [
      'RETRY beside an output that failed',
      phased([checkpoint('A', 'retry')]),
      [at('A', 'failed'), { ...FAILED, kind: 'output' }],
      'checkpoint-failed A',
    ],
  ];
  for (const [name, order, results, want] of rows) {
    test(`${name}: ${want}`, () => assert.equal(short(judge(order, FINISHED, results)), want));
  }
  test('does not hide by what the agent says that it failed', () => {
    const end = claiming({ result: 'failed', code: 'model-unavailable' });
    for (const strategy of ['abort', 'retry', 'continue', 'skip'] as const) {
      const verdict = judge(phased([checkpoint('A', strategy)]), end, [at('A', 'failed')]);
      assert.equal(short(verdict), 'failed failed model-unavailable', strategy);
    }
  });
  test('ends it where the agent says that it failed, but not by what', () => {
    const order = phased([checkpoint('A', 'abort')]);
    assert.equal(short(judge(order, claiming({ result: 'failed' }), [at('A', 'failed')])), 'aborted unknown');
  });
  test('is named with what was found, whatever its strategy', () => {
    for (const strategy of ['abort', 'retry', 'continue', 'skip'] as const) {
      const verdict = judge(phased([checkpoint('A', strategy)]), FINISHED, [PASSED, at('A', 'failed')]);
      assert.equal('message' in verdict && verdict.message, 'checkpoint A: failed', strategy);
    }
  });
});

describe('checks that passed and prove nothing', () => {
  const passed = [result('npm test')];
  const inWords = anOrder({ isInWords: true });
  const judged = (facts: readonly Fact[], before: readonly CheckResult[] = passed) => {
    const { snapshotted: snapshot } = executionOf(inWords, snapshotted({ checks: before }));
    return judgeAttempt({ order: inWords, snapshotted: snapshot }, attempt(inWords, facts));
  };
  const files = ['test/a.test.js'];
  const changed = [{ path: 'test/a.test.js', status: 'UPDATED', sha256: null, sizeBytes: null }] as const;
  const run = (some: object, oldTests?: object): readonly Fact[] => [
    leased('r1'),
    ended('r1', FINISHED),
    collected('r1', { commit: 'c', ...some }),
    verified('r1', passed, (oldTests ? { oldTests } : {}) as never),
  ];

  test('nothing changed and every check passed before', () => {
    assert.equal(short(judged(run({}))), 'unchecked');
    const failedBefore = [result('npm test', { result: 'failed' })];
    assert.equal(short(judged(run({}), failedBefore)), 'unchecked', 'ignored files may have changed');
    assert.equal(short(judged(run({ changed }), failedBefore)), 'checked');
    assert.equal(short(judged(run({ changed }))), 'checked');
    assert.equal(short(judged(run({ commit: null }))), 'unchecked', 'without git, changes are unknown');
    assert.equal(short(judged(run({ commit: null }), failedBefore)), 'checked');
  });

  test('they pass only with the tests that the work changed', () => {
    const failed = judged(run({ changed }, { files, result: 'failed', message: 'exit 1' }));
    assert.deepEqual(
      [short(failed), 'message' in failed && failed.message],
      ['unchecked', 'passes only with the tests it changed: test/a.test.js'],
    );
    assert.equal(short(judged(run({ changed }, { files, result: 'passed', message: '' }))), 'checked');
    const unknown = judged(run({ changed }, { files, result: 'not-compared', message: 'no git' }));
    assert.equal(short(unknown), 'unchecked');
  });
});
