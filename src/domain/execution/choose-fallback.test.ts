import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  collected,
  ended,
  FINISHED,
  failedBy,
  leased,
  requeued,
  result,
  verified,
} from '../../../test/support/run/an-execution.ts';
import { after, CRASH, LOST, models, policy, short, TIMEOUT, tried } from '../../../test/support/run/tried-attempts.ts';
import type { FallbackTrigger, Order } from '../order/order.ts';
import { WORDS_DEFAULTS } from '../order/policy.ts';
import type { FailureCode } from '../refusal.ts';
import { isTriggered } from './choose-fallback.ts';
import type { Fact } from './fact.ts';

describe('retries', () => {
  const rows: [string, Partial<Order>, readonly Fact[], string][] = [
    ['none unless asked for', {}, tried([TIMEOUT, null]), 'failed timeout'],
    [
      'words: a failure is tried again, with the limits of a new attempt',
      { isInWords: true, ...policy({ ...WORDS_DEFAULTS }) },
      tried([CRASH, null]),
      'target after 0 ms',
    ],
    [
      'words: once',
      { isInWords: true, ...policy({ ...WORDS_DEFAULTS }) },
      tried([CRASH, null], [CRASH, null]),
      'failed process-crashed',
    ],
    [
      'words: the time limit is not spent twice',
      { isInWords: true, ...policy({ ...WORDS_DEFAULTS }) },
      tried([TIMEOUT, null]),
      'failed timeout',
    ],
    [
      'words: a refused login stays refused',
      { isInWords: true, ...policy({ ...WORDS_DEFAULTS }) },
      tried([failedBy('permission-denied', '401'), null]),
      'failed permission-denied',
    ],
    [
      'words: a model that did not answer gets a moment',
      { isInWords: true, ...policy({ ...WORDS_DEFAULTS }) },
      tried([failedBy('model-unavailable', '500'), null]),
      'target after 20000 ms',
    ],
    ['the first, after its wait', policy({ retriesMax: 3 }), tried([TIMEOUT, null]), 'target after 30000 ms'],
    ['the second', policy({ retriesMax: 3 }), tried([TIMEOUT, null], [CRASH, null]), 'target after 120000 ms'],
    [
      'the last wait repeats',
      policy({ retriesMax: 3, retryBackoffSeconds: [1] }),
      tried([TIMEOUT, null], [CRASH, null], [CRASH, null]),
      'target after 1000 ms',
    ],
    [
      'no wait where none is listed',
      policy({ retriesMax: 1, retryBackoffSeconds: [] }),
      tried([TIMEOUT, null]),
      'target after 0 ms',
    ],
    ['used up', policy({ retriesMax: 1 }), tried([TIMEOUT, null], [CRASH, null]), 'failed process-crashed'],
    ['on_failure RETRY adds one', policy({ onFailure: 'retry' }), tried([TIMEOUT, null]), 'target after 30000 ms'],
    [
      'on_failure RETRY adds one and no more',
      policy({ onFailure: 'retry', retriesMax: 1 }),
      tried([TIMEOUT, null], [TIMEOUT, null], [TIMEOUT, null]),
      'failed timeout',
    ],
    [
      'abort-session is the session’s matter',
      policy({ onFailure: 'abort-session' }),
      tried([TIMEOUT, null]),
      'failed timeout',
    ],
    [
      'not for what costs too much',
      policy({ retriesMax: 3 }),
      tried([failedBy('budget-exceeded'), null]),
      'failed budget-exceeded',
    ],
    [
      'not by what the loss of a node took',
      policy({ retriesMax: 1 }),
      tried([LOST, null], [TIMEOUT, null]),
      'target after 30000 ms',
    ],
    [
      'also after an agent that says that it failed',
      policy({ retriesMax: 1 }),
      tried([{ kind: 'finished', claim: { result: 'failed', code: null, message: 'm', text: '' } }, null]),
      'target after 30000 ms',
    ],
  ];
  for (const [name, some, facts, want] of rows)
    test(`${name}: ${want}`, () => assert.equal(short(after(some, facts)), want));

  for (const code of ['process-crashed', 'model-unavailable', 'agent-not-found', 'permission-denied'] as const) {
    test(`${code} is critical: abort_on_first_critical_error skips them`, () => {
      const some = policy({ retriesMax: 3, abortOnFirstCriticalError: true });
      assert.equal(short(after(some, tried([failedBy(code), null]))), `failed ${code}`);
      assert.equal(short(after(policy({ retriesMax: 3 }), tried([failedBy(code), null]))), 'target after 30000 ms');
    });
  }
  test('what is not critical is retried all the same', () => {
    const some = policy({ retriesMax: 3, abortOnFirstCriticalError: true });
    assert.equal(short(after(some, tried([TIMEOUT, null]))), 'target after 30000 ms');
  });
});

describe('triggers', () => {
  const codes: readonly FailureCode[] = [
    'timeout',
    'heartbeat-missed',
    'process-crashed',
    'model-unavailable',
    'agent-not-found',
    'permission-denied',
    'budget-exceeded',
    'malformed-answer',
    'unknown',
  ];
  const table: Record<FallbackTrigger, readonly FailureCode[]> = {
    timeout: ['timeout', 'heartbeat-missed'],
    'critical-error': ['process-crashed', 'model-unavailable', 'agent-not-found', 'permission-denied'],
    'cost-limit-exceeded': ['budget-exceeded'],
    'first-error': codes,
    'all-errors': codes,
  };
  for (const [trigger, answers] of Object.entries(table) as [FallbackTrigger, readonly FailureCode[]][]) {
    test(`${trigger} answers to its codes, and is ${trigger === 'all-errors' ? 'not ' : ''}at once`, () => {
      for (const code of codes) {
        assert.equal(isTriggered(trigger, code, true), answers.includes(code), code);
        assert.equal(isTriggered(trigger, code, false), trigger !== 'all-errors' && answers.includes(code), code);
        const some = { ...policy({ retriesMax: 1 }), alternatives: models(trigger) };
        const hasRetries = code !== 'budget-exceeded';
        const sequel = short(after(some, tried([failedBy(code), null])));
        const isTaken = isTriggered(trigger, code, !hasRetries);
        const otherwise = hasRetries ? 'target after 30000 ms' : `failed ${code}`;
        assert.equal(sequel, isTaken ? '0 after 0 ms' : otherwise, code);
      }
    });
  }
  test('all-errors answers once the retries are used up', () => {
    const some = { ...policy({ retriesMax: 1 }), alternatives: models('all-errors') };
    assert.equal(short(after(some, tried([TIMEOUT, null], [TIMEOUT, null]))), '0 after 0 ms');
  });
});

describe('alternatives', () => {
  test('are tried in order, each once, each by the last failure', () => {
    const some = { alternatives: models('critical-error', 'timeout', 'all-errors') };
    assert.equal(short(after(some, tried([TIMEOUT, null]))), '1 after 0 ms');
    assert.equal(short(after(some, tried([TIMEOUT, null], [CRASH, 1]))), '0 after 0 ms');
    assert.equal(short(after(some, tried([TIMEOUT, null], [CRASH, 1], [CRASH, 0]))), '2 after 0 ms');
    assert.equal(short(after(some, tried([TIMEOUT, null], [CRASH, 1], [TIMEOUT, 0]))), '2 after 0 ms');
  });
  test('are not retried, whatever max_retries says', () => {
    const some = { ...policy({ retriesMax: 5 }), alternatives: models('first-error') };
    assert.equal(short(after(some, tried([TIMEOUT, null], [CRASH, 0]))), 'failed all-models-failed');
  });
  test('all failed: the outcome has the error of each', () => {
    const sequel = after({ alternatives: models('first-error') }, tried([TIMEOUT, null], [CRASH, 0]));
    assert.ok(sequel.kind === 'settle');
    assert.deepEqual(sequel.outcome, {
      verdict: 'failed',
      code: 'all-models-failed',
      message: 'every model failed, the last with E_PROCESS_CRASH: exit 3',
      attempts: [
        { agent: 'emma', provider: 'CODEX', model: 'gpt', code: 'timeout', message: 'too slow' },
        { agent: 'emma', provider: 'GEMINI', model: 'g-0', code: 'process-crashed', message: 'exit 3' },
      ],
    });
  });
  test('that none was tried of leave the own error', () => {
    assert.equal(short(after({ alternatives: models('timeout') }, tried([CRASH, null]))), 'failed process-crashed');
  });
  test('one passes: the failures before it are forgotten', () => {
    const facts = [tried([TIMEOUT, null]), requeued({ alternative: 0 }), leased('r9', { alternative: 0 })];
    const passed = [ended('r9', FINISHED), collected('r9'), verified('r9', [result('npm test')])];
    assert.equal(short(after({ alternatives: models('timeout') }, ...facts, passed)), 'checked null');
  });
  test('nobody answers to the target: the first that this triggers', () => {
    const some = { ...policy({ retriesMax: 3 }), alternatives: models('timeout', 'critical-error') };
    const nobody: Fact = { kind: 'unanswered', alternative: null, message: 'no agent answers' };
    assert.equal(short(after(some, nobody)), '1 after 0 ms');
    assert.equal(short(after({ ...policy({ retriesMax: 3 }) }, nobody)), 'failed agent-not-found');
  });
  test('nobody answers to one: the target has its retries all the same', () => {
    const some = { ...policy({ retriesMax: 2 }), alternatives: models('all-errors', 'first-error') };
    const nobody: Fact = { kind: 'unanswered', alternative: 1, message: 'no agent answers' };
    const first = tried([CRASH, null]);
    assert.equal(short(after(some, first, nobody)), 'target after 30000 ms');
    const second = [requeued(), leased('r8'), ended('r8', TIMEOUT), collected('r8')];
    assert.equal(short(after(some, first, nobody, second)), 'target after 120000 ms');
    const third = [requeued(), leased('r9'), ended('r9', TIMEOUT), collected('r9')];
    assert.equal(short(after(some, first, nobody, second, third)), '0 after 0 ms');
  });
  test('nobody answers to one: what is not worth a retry is none for that', () => {
    const alternatives = models('first-error');
    const nobody: Fact = { kind: 'unanswered', alternative: 0, message: 'no agent answers' };
    const costly = { ...policy({ retriesMax: 2 }), alternatives };
    const over = tried([failedBy('budget-exceeded'), null]);
    assert.equal(short(after(costly, over, nobody)), 'failed all-models-failed');
    const strict = { ...policy({ retriesMax: 2, abortOnFirstCriticalError: true }), alternatives };
    assert.equal(short(after(strict, tried([CRASH, null]), nobody)), 'failed all-models-failed');
    assert.equal(short(after(strict, tried([TIMEOUT, null]), nobody)), 'target after 30000 ms');
  });
  test('nobody answers to the second, after the first was tried: the target is not gone back to', () => {
    const some = { ...policy({ retriesMax: 2 }), alternatives: models('first-error', 'first-error') };
    const nobody: Fact = { kind: 'unanswered', alternative: 1, message: 'no agent answers' };
    assert.equal(short(after(some, tried([CRASH, null], [CRASH, 0]), nobody)), 'failed all-models-failed');
  });
  test('nobody answers to one: the next', () => {
    const some = { alternatives: models('first-error', 'first-error') };
    const nobody: Fact = { kind: 'unanswered', alternative: 0, message: 'no agent answers' };
    assert.equal(short(after(some, tried([TIMEOUT, null]), nobody)), '1 after 0 ms');
  });
});

describe('a checkpoint that asks for another try', () => {
  const phases = [
    {
      id: 'P',
      position: 0,
      label: 'l',
      objective: 'o',
      checkpoints: [{ id: 'CP', description: 'd', artifacts: [], validation: null, onFailure: 'retry' as const }],
    },
  ];
  const failed = (runId: string, alternative: number | null = null): readonly Fact[] => [
    leased(runId, { alternative }),
    ended(runId, FINISHED),
    collected(runId),
    verified(runId, [result('CP', { kind: 'checkpoint', result: 'failed', message: 'exit 1' })]),
  ];

  test('gets it at least once, at once', () => {
    assert.equal(short(after({ phases }, failed('r1'))), 'target after 0 ms');
    assert.equal(short(after({ phases }, failed('r1'), requeued(), failed('r2'))), 'failed unknown');
  });
  test('gets it within max_retries', () => {
    const some = { phases, ...policy({ retriesMax: 2 }) };
    assert.equal(short(after(some, failed('r1'), failed('r2'))), 'target after 0 ms');
    assert.equal(short(after(some, failed('r1'), failed('r2'), failed('r3'))), 'failed unknown');
  });
  test('then an alternative, where one answers to any failure', () => {
    const some = { phases, alternatives: models('all-errors') };
    assert.equal(short(after(some, failed('r1'), failed('r2'))), '0 after 0 ms');
  });
  test('of an alternative is not tried for ever', () => {
    const some = { phases, alternatives: models('timeout') };
    const first = tried([TIMEOUT, null]);
    assert.equal(short(after(some, first, failed('r1', 0))), '0 after 0 ms');
    assert.equal(short(after(some, first, failed('r1', 0), failed('r2', 0))), 'failed all-models-failed');
  });
});

test('there is nothing to choose before the first attempt', () => {
  assert.throws(() => after({}), /no attempt/);
});
