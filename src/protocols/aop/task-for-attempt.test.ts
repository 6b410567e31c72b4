import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { sampleTask } from '../../../test/support/message/aop-samples.ts';
import { validMessages } from '../../../test/support/message/valid-messages.ts';
import { someTerms } from '../../../test/support/order/some-terms.ts';
import {
  attemptOf,
  collected,
  ended,
  executionOf,
  FINISHED,
  failedBy,
  leased,
  requeued,
  result,
  verified,
} from '../../../test/support/run/an-execution.ts';
import { SEED } from '../../../test/support/seed.ts';
import type { Fact } from '../../domain/execution/fact.ts';
import { AOP_TASK_BYTES_MAX } from '../../domain/federation/message-limits.ts';
import { byteLength } from '../text-size.ts';
import { aopCodec } from './codec.ts';
import { decodeAop } from './decode.ts';
import { encodeAop } from './encode.ts';
import { orderOfTask } from './order-of-task.ts';
import type { TaskMessage } from './schema/task.ts';
import { type AttemptAgent, taskForAttempt } from './task-for-attempt.ts';

const EMMA: AttemptAgent = { name: 'emma', versionsRead: null };

function given(task: TaskMessage, facts: readonly (Fact | readonly Fact[])[], agent = EMMA, isFallback = false) {
  const order = orderOfTask(task, someTerms(), { isFallback });
  const { attempts } = executionOf(order, ...facts);
  return taskForAttempt({ order, message: task, orderedAt: 0, attempts }, agent);
}

function message(...parameters: Parameters<typeof given>): TaskMessage {
  const { text, isV1 } = given(...parameters);
  assert.equal(isV1, false);
  const verdict = decodeAop(text);
  assert.equal(verdict.verdict, 'accepted', JSON.stringify(verdict).slice(0, 500));
  return JSON.parse(text) as TaskMessage;
}

test('the message of an accepted order is handed over as it was read then, not judged again', () => {
  const ofOtherRules = { ...sampleTask(), x_of_another_version: 'kept' };
  assert.equal(decodeAop(encodeAop(ofOtherRules)).verdict, 'malformed');
  const { text } = given(ofOtherRules, [leased('r1')]);
  assert.deepEqual(JSON.parse(text), { ...ofOtherRules, task: { ...ofOtherRules.task, attempt: 1 } });
});

const FAILED = result('npm test', {
  result: 'failed',
  message: 'npm test: exit 1, expected 0',
  exitCode: 1,
  tail: `${'.'.repeat(9_000)}\nnot ok 3`,
});

const FIRST_FAILED: readonly Fact[] = [
  leased('r1'),
  ended('r1', FINISHED),
  collected('r1', { changed: [{ path: 'a.ts', status: 'updated', sha256: 'x', sizeBytes: 1 }] }),
  verified('r1', [result('tsc'), FAILED]),
  requeued(),
  leased('r2'),
];

test('the first attempt gets the TASK, numbered', () => {
  assert.deepEqual(message(sampleTask(), [leased('r1')]), sampleTask({ attempt: 1 }));
});

test('a TASK that came with a number is counted on from it', () => {
  assert.equal(message(sampleTask({ attempt: 3 }), [leased('r1')]).task.attempt, 3);
  assert.equal(message(sampleTask({ attempt: 3 }), FIRST_FAILED).task.attempt, 4);
  const attempt = Number.MAX_SAFE_INTEGER;
  assert.equal(message(sampleTask({ attempt }), FIRST_FAILED).task.attempt, attempt);
});

test('a later attempt is told what failed with its output, what passed, and what was changed', () => {
  const { task } = message(sampleTask({ extensions: { x_own: 1 } }), FIRST_FAILED);
  assert.equal(task.attempt, 2);
  assert.deepEqual(task.extensions, {
    x_own: 1,
    x_baton: {
      attempt: 2,
      failed: [
        {
          id: 'npm test',
          kind: 'check',
          message: 'npm test: exit 1, expected 0',
          command: 'npm test',
          exit_code: 1,
          output: FAILED.tail.slice(-4_000),
        },
      ],
      passed: ['tsc'],
      files_changed: [{ path: 'a.ts', status: 'UPDATED' }],
    },
  });
});

test('one that follows a crash is told of it', () => {
  const { task } = message(sampleTask(), [attemptOf('r1', failedBy('timeout', 'too slow')), requeued(), leased('r2')]);
  const told = task.extensions?.x_baton as { error: unknown };
  assert.deepEqual(told.error, { code: 'E_TIMEOUT', message: 'too slow' });
});

test('one that follows a loss is told of what was known before', () => {
  const lost = [...FIRST_FAILED, ended('r2', { kind: 'lost' }), requeued(), leased('r3')];
  const told = message(sampleTask(), lost).task.extensions?.x_baton as { attempt: number; passed: unknown };
  assert.equal(told.attempt, 3);
  assert.deepEqual(told.passed, ['tsc']);
  const { task } = message(sampleTask(), [attemptOf('r1', { kind: 'lost' }), requeued(), leased('r2')]);
  assert.deepEqual(task.extensions?.x_baton, { attempt: 2 });
});

test('another agent is told who worked before it, the difference so far, its last words and what a person says', () => {
  const task = sampleTask();
  const order = orderOfTask(task, someTerms(), { isFallback: false });
  const first = [leased('r1'), ended('r1', failedBy('timeout'), { lastWords: 'half done' }), collected('r1')];
  const { attempts } = executionOf(order, ...first, requeued({ alternative: 0 }), leased('r2', { agent: 'nina' }));
  const continuation = {
    earlier: [],
    isResumed: false,
    soFar: { diff: '+one', isCut: false },
    words: ['Mind it.'],
    isTakenBack: false,
  };
  const told = (some: object, agent: string) => {
    const given = { order, message: task, orderedAt: 0, attempts, continuation: { ...continuation, ...some } };
    const { text } = taskForAttempt(given, { name: agent, versionsRead: null });
    assert.equal(decodeAop(text).verdict, 'accepted');
    assert.ok(byteLength(text) <= AOP_TASK_BYTES_MAX);
    return (JSON.parse(text) as TaskMessage).task.extensions?.x_baton as Record<string, unknown>;
  };
  const { from, difference, is_difference_cut, last_words, words } = told({}, 'nina');
  assert.deepEqual([from, difference, is_difference_cut, last_words], ['emma', '+one', false, 'half done']);
  assert.deepEqual(words, ['Mind it.']);
  assert.equal(told({ soFar: { diff: 'x'.repeat(90_000), isCut: false } }, 'nina').is_difference_cut, true);
  const v1 = taskForAttempt(
    { order, message: task, orderedAt: 0, attempts, continuation },
    { name: 'nina', versionsRead: ['1.x'] },
  );
  assert.match(v1.text, /^## What to do now\n\nMind it\.$/m);
});

test('an alternative gets its own name and model, and nothing that was said of the target’s abilities', () => {
  const task: TaskMessage = {
    ...sampleTask(),
    target: { ...sampleTask().target, capabilities: { aop_versions_supported: ['1.x'] } },
    execution_policy: { alternative_models: [{ provider: 'GEMINI', model: 'g-2', fallback_trigger: 'FIRST_ERROR' }] },
  };
  const facts = [attemptOf('r1', failedBy('timeout')), requeued({ alternative: 0 }), leased('r2', { alternative: 0 })];
  const { target } = message(task, facts, { name: 'forge', versionsRead: null });
  assert.deepEqual(target, { agent_name: 'forge', role: 'EXECUTOR', provider: 'GEMINI', model: 'g-2' });
});

describe('an agent that does not read v2', () => {
  const v1 = { name: 'old', versionsRead: ['1.x'] };
  test('by its configuration, or by what the TASK says, gets the prompt', () => {
    const target = { ...sampleTask().target, capabilities: { aop_versions_supported: ['1.x'] } };
    for (const [task, agent] of [
      [sampleTask(), v1],
      [{ ...sampleTask(), target }, EMMA],
    ] as const) {
      const { text, isV1 } = given(task, [leased('r1')], agent);
      assert.equal(isV1, true);
      assert.match(text, /^# ORCHESTRATION_TASK/);
      assert.match(text, /Add user endpoints/);
    }
  });
  test('one that reads any 2.x does not', () => {
    const both = { name: 'both', versionsRead: ['1.x', '2.0.0'] };
    assert.equal(given(sampleTask(), [leased('r1')], both).isV1, false);
  });
  test('is told in words what failed before', () => {
    const { text } = given(sampleTask(), FIRST_FAILED, v1);
    assert.match(text, /earlier attempt left\n\n- Not passed: npm test: exit 1, expected 0\n\n {4}\.+\n {4}not ok 3\n/);
    assert.match(text, /- Passed: tsc\n- UPDATED: a\.ts/);
  });
});

test('a run by fallback is given the prompt that was kept with it', () => {
  const task = sampleTask({ extensions: { x_baton: { v1_prompt: 'as it came in' } } });
  assert.deepEqual(given(task, [leased('r1')], EMMA, true), { text: 'as it came in', isV1: true });
});

describe('the whole stays within the size of a TASK', () => {
  const many = Array.from({ length: 150 }, (_, at) => ({ ...FAILED, id: `check ${at}` }));
  const facts = (results = many): readonly Fact[] => [
    leased('r1'),
    ended('r1', FINISHED),
    collected('r1', {
      changed: Array.from({ length: 3_000 }, (_, at) => {
        return { path: `${'deep/'.repeat(20)}${at}`, status: 'created', sha256: null, sizeBytes: null } as const;
      }),
    }),
    verified('r1', results),
    requeued(),
    leased('r2'),
  ];
  test('with much to tell, by telling less of each', () => {
    const task = message(sampleTask(), facts());
    assert.ok(byteLength(JSON.stringify(task)) <= AOP_TASK_BYTES_MAX);
    const told = task.task.extensions?.x_baton as { failed: { output: string }[]; files_left_out: number };
    assert.equal(told.failed.length, 150);
    assert.ok((told.failed[0]?.output.length ?? 0) >= 200);
    assert.equal(told.files_left_out, 2_500);
  });
  test('with a TASK that fills it, by telling nothing', () => {
    const empty = byteLength(encodeAop(sampleTask({ objective: '', attempt: 1 })));
    const full = sampleTask({ objective: 'x'.repeat(AOP_TASK_BYTES_MAX - empty) });
    const task = message(full, facts());
    assert.equal(task.task.attempt, 2);
    assert.equal(task.task.extensions, undefined);
  });
  test('with a TASK that fills it, not even by its number', () => {
    const empty = byteLength(encodeAop(sampleTask({ objective: '' })));
    const full = sampleTask({ objective: 'x'.repeat(AOP_TASK_BYTES_MAX - empty) });
    assert.deepEqual(message(full, facts()), full);
  });
  test('as a prompt, too', () => {
    const { text } = given(sampleTask(), facts(), { name: 'old', versionsRead: ['1.x'] });
    assert.ok(byteLength(text) <= AOP_TASK_BYTES_MAX);
    assert.match(text, /Not passed/);
  });
});

test(`any valid TASK is handed on as a valid one, at first and later (seed ${SEED})`, () => {
  const tasks = validMessages(aopCodec, 'TASK') as fc.Arbitrary<unknown>;
  const check = fc.property(tasks, (task) => {
    const { text } = given(task as TaskMessage, [leased('r1')]);
    const verdict = decodeAop(text);
    assert.equal(verdict.verdict, 'accepted', JSON.stringify(verdict).slice(0, 500));
    assert.equal(decodeAop(given(task as TaskMessage, FIRST_FAILED).text).verdict, 'accepted');
  });
  fc.assert(check, { seed: SEED, numRuns: 60 });
});
