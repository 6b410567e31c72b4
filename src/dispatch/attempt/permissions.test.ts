import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { aGrant } from '../../../test/support/agent/a-launch.ts';
import { TaskLife } from '../../../test/support/task/task-life.ts';
import { testFolder } from '../../../test/support/test-repository.ts';
import { TestTimer } from '../../../test/support/test-timer.ts';
import { POLICY_DEFAULTS } from '../../domain/order/policy.ts';
import type { RunHolder } from '../../domain/task/channel.ts';
import type { AnswerAuthor, Question } from '../../domain/task/question.ts';
import { selectEvents } from '../../ledger/statements/events.ts';
import { selectOpenQuestionsOf } from '../../ledger/statements/questions.ts';
import { answerQuestion } from '../../operations/task/ask-question.ts';
import { silentLogger } from '../../platform/logger.ts';
import type { BoundedLaunch } from './attempt.ts';
import { type PermissionSignal, Permissions } from './permissions.ts';

const RUN_TESTS: PermissionSignal = {
  kind: 'question',
  id: 'r1',
  text: 'May it use Bash?',
  options: ['allow_once', 'reject_once'],
  permission: {
    tool: 'Bash',
    input: '{"command":"npm test"}',
    paths: [],
    access: 'command',
    command: 'npm test',
    reason: 'to see whether it works',
    allow: 'allow_once',
    refuse: 'reject_once',
  },
};
const EDIT: PermissionSignal = {
  ...RUN_TESTS,
  permission: { ...RUN_TESTS.permission, access: 'edit', paths: ['/ws/a.ts'] },
};

interface Changes {
  readonly workspace?: string;
  readonly whyUnattended?: string;
  readonly timeoutSeconds?: number;
}

/** The permissions of a run whose task is held, with a timer that the test fires. */
async function open({ whyUnattended, timeoutSeconds = 3_600, workspace = '/ws' }: Changes = {}) {
  const life = await TaskLife.open();
  const { id, run } = await life.claimed({}, 'emma');
  const timer = new TestTimer();
  const told: string[] = [];
  const waiting: boolean[] = [];
  const { ledger } = life.at;
  const permissions = new Permissions({
    ledger,
    timer,
    log: silentLogger,
    asking: { whyUnattended: () => whyUnattended ?? null },
    request: {
      run: aRun({ taskId: id, taskUid: 'tsk_1', runId: run.id, agent: 'emma' }),
      grant: aGrant(workspace),
      workspace,
      isSandboxed: false,
      questionTimeoutMs: 600_000,
      limits: {
        policy: { ...POLICY_DEFAULTS, timeoutSeconds },
        budget: { costUsdMax: null, tokensMax: null },
        spentBefore: { costUsd: 0, tokens: 0 },
      },
    },
    tell: (each) => void told.push(each.kind === 'answer' ? `${each.question} ${each.option}` : each.kind),
    onWaiting: (isWaiting) => void waiting.push(isWaiting),
  });
  const questions = () => selectOpenQuestionsOf(ledger.read, id);
  const events = () =>
    selectEvents(ledger.read, 0)
      .filter(({ type }) => type.startsWith('question.'))
      .map(({ type, payload, runId }) => ({ type, payload, isOfRun: runId === run.id }));
  /** The last answer, its author and the reason. */
  const last = () => {
    const { answer: option, by, reason } = events().at(-1)?.payload ?? {};
    return [option, by, reason];
  };
  const answer = (option: string, by: AnswerAuthor = 'operator') =>
    life.do(answerQuestion, { question: (questions()[0] as Question).id, option, by, reason: null });
  return { life, id, run, permissions, timer, told, waiting, questions, events, last, answer };
}

test('a person is asked for what the grant does not hold, and the answer goes to the agent', async () => {
  for (const [option, told] of [
    ['yes', 'r1 allow_once'],
    ['no', 'r1 reject_once'],
  ] as const) {
    const at = await open();
    await at.permissions.ask(RUN_TESTS);
    assert.deepEqual([at.told, at.waiting], [[], [true]]);
    const [question] = at.questions();
    assert.ok(question);
    assert.deepEqual(
      { ...question, id: '', askedAt: 0, deadlineAt: (question.deadlineAt ?? 0) - question.askedAt },
      {
        id: '',
        taskId: at.id,
        runId: at.run.id,
        kind: 'permission',
        what: 'use Bash: {"command":"npm test"}',
        where: 'npm test',
        why: 'to see whether it works',
        options: ['yes', 'no'],
        defaultOption: 'no',
        askedAt: 0,
        deadlineAt: 600_000,
        answer: null,
      },
    );
    await at.answer(option);
    assert.deepEqual([at.told, at.waiting, at.timer.waits], [[told], [true, false], []]);
    const [asked, answered] = at.events();
    assert.deepEqual([asked?.type, asked?.isOfRun], ['question.asked', true]);
    const payload = { question: question.id, kind: 'permission', answer: option, by: 'operator', reason: null };
    assert.deepEqual(answered, { type: 'question.answered', payload, isOfRun: true });
  }
});

test('what the grant allows and what nobody can be asked is decided at once, and is an event too', async () => {
  const allowed = await open();
  await allowed.permissions.ask(EDIT);
  assert.deepEqual([allowed.told, allowed.waiting, allowed.questions()], [['r1 allow_once'], [], []]);
  assert.deepEqual(allowed.last(), ['yes', 'policy', 'its task may write there']);
  const refused = await open({ whyUnattended: 'nobody is there' });
  await refused.permissions.ask(RUN_TESTS);
  assert.deepEqual([refused.told, refused.waiting], [['r1 reject_once'], []]);
  assert.deepEqual(refused.last(), ['no', 'policy', 'nobody is there']);
});

test('a question that nobody answers is a no, after the setting or the time of the run', async () => {
  const at = await open({ timeoutSeconds: 30 });
  await at.permissions.ask(RUN_TESTS);
  assert.deepEqual(at.timer.waits, [30_000]);
  at.timer.fire();
  while (at.told.length === 0) await at.timer.breathe();
  assert.deepEqual([at.told, at.questions()], [['r1 reject_once'], []]);
  assert.deepEqual(at.last(), ['no', 'timeout', 'nobody answered in 30 s']);
});

test('several questions wait side by side, and each gets its own answer', async () => {
  const at = await open();
  await at.permissions.ask(RUN_TESTS);
  await at.permissions.ask({ ...RUN_TESTS, id: 'r2' });
  await at.answer('yes');
  await at.answer('no');
  assert.deepEqual(
    [at.told, at.waiting],
    [
      ['r1 allow_once', 'r2 reject_once'],
      [true, false],
    ],
  );
});

test('the end of the run closes its question, by the attempt or by a node that finds the run dead', async () => {
  const closed = await open();
  await closed.permissions.ask(RUN_TESTS);
  await closed.permissions.close();
  const ended = await open();
  await ended.permissions.ask(RUN_TESTS);
  await ended.life.end(ended.id, 'emma');
  for (const at of [closed, ended]) {
    assert.deepEqual(at.questions(), []);
    assert.deepEqual(at.last(), ['no', 'run-ended', 'the run ended first']);
  }
  assert.deepEqual(closed.told, []);
});

test('the first answer counts, only options are answers, and a run that lost its task cannot ask', async () => {
  const at = await open();
  await at.permissions.ask(RUN_TESTS);
  const [{ id: question } = { id: '' }] = at.questions();
  const given = { question, by: 'operator', reason: null } as const;
  assert.equal(await at.life.refused(answerQuestion, { ...given, option: 'maybe' }), 'invalid_argument');
  assert.equal(
    await at.life.refused(answerQuestion, { ...given, question: 'qst_x', option: 'yes' }),
    'question_not_found',
  );
  await at.answer('no');
  assert.equal(await at.life.refused(answerQuestion, { ...given, option: 'yes' }), 'question_answered');
  await at.life.end(at.id, 'emma');
  await at.permissions.ask({ ...RUN_TESTS, id: 'late' });
  assert.deepEqual([at.told.at(-1), at.questions()], ['late reject_once', []]);
});

test('an edit through a link counts as one of the place it leads to', async () => {
  const workspace = testFolder();
  const outside = testFolder();
  symlinkSync(outside, join(workspace, 'link'));
  symlinkSync('circle', join(workspace, 'circle'));
  const asks = async (path: string) => {
    const at = await open({ workspace });
    await at.permissions.ask({ ...EDIT, permission: { ...EDIT.permission, paths: [path] } });
    return at.questions().length === 1;
  };
  assert.equal(await asks(join(workspace, 'own.ts')), false);
  assert.equal(await asks(join(workspace, 'link', 'a.ts')), true);
  assert.equal(await asks(join(workspace, 'circle', 'a.ts')), true);
});

function aRun(holder: RunHolder): BoundedLaunch<RunHolder>['run'] {
  return { runId: holder.runId, agent: holder.agent, sessionId: 'S', holder };
}
