import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { EventView, StatusAnswer } from '../../../src/api/contract.ts';
import type { QuestionView } from '../../../src/api/review/talk-contract.ts';
import { linesOf, ROOT } from '../../support/run-baton.ts';
import { RunStage, until } from '../../support/run-stage.ts';
import { noTerminal, TerminalRun } from '../../support/terminal-run.ts';
import { TestDaemon } from '../../support/test-daemon.ts';
import { noBubblewrap } from '../../support/test-process.ts';
import type { TestRepository } from '../../support/test-repository.ts';

const CLAUDE = { driver: 'claude', command: [process.execPath, join(ROOT, 'test/fixtures/vendors/claude.mjs')] };
/** Hides bubblewrap from Baton, so that it has no sandbox. */
const NO_SANDBOX = [
  'bwrap',
  '--die-with-parent',
  '--dev-bind',
  '/',
  '/',
  '--ro-bind',
  '/dev/null',
  '/usr/bin/bwrap',
  '--',
];
// Its login.
process.env.ANTHROPIC_API_KEY = 'sk-ant-fixture-key-0123456789';
const SLOW = { timeout: 120_000, skip: noBubblewrap };

async function aStage(settings: object = {}): Promise<RunStage> {
  const stage = await RunStage.alone('questions');
  stage.configure({ agents: { asker: CLAUDE }, ...settings });
  return stage;
}

/** A stage whose node stays on and has no sandbox. */
async function attended(settings: object = {}): Promise<RunStage> {
  const stage = await aStage(settings);
  stage.daemon = TestDaemon.spawnBy(NO_SANDBOX, stage.data.path);
  assert.ok(await stage.daemon.isUp(), stage.daemon.stderr);
  return stage;
}

/** Gives the steps to the agent that asks; resolves with the name of the task. */
async function begin(stage: RunStage, repository: TestRepository, steps: readonly string[]): Promise<string> {
  const words = steps.join('\n');
  const flags = ['--agent', 'asker', '--yes', '--detach', '--retries', '0', '--json'];
  const run = await stage.data.run(['run', words, ...flags], { folder: repository.root });
  assert.equal(run.status, 0, run.stderr);
  return linesOf<{ task: { id: string } }>(run)[0]?.task.id ?? assert.fail(run.stdout);
}

function questionsOf(stage: RunStage): Promise<StatusAnswer['questions']> {
  return stage.data.json<StatusAnswer>('status').then(({ questions }) => questions);
}

async function openQuestion(stage: RunStage): Promise<QuestionView> {
  await until(async () => (await questionsOf(stage)).length > 0);
  return (await questionsOf(stage))[0] as QuestionView;
}

async function answersOf(stage: RunStage, task: string): Promise<EventView[]> {
  return (await stage.data.eventsOf(task)).filter(({ type }) => type === 'question.answered');
}

async function isOver(stage: RunStage, task: string): Promise<boolean> {
  return ['review', 'blocked', 'done'].includes((await stage.task(task)).status);
}

describe('an agent without a sandbox', { skip: noBubblewrap }, () => {
  test('asks a person, who answers by the task, by the question or not at all', SLOW, async () => {
    const stage = await attended({ questions: { timeout_seconds: 4 } });
    const repository = stage.repository();
    const names = ['a', 'b', 'c'];
    const steps = names.map((name) => `shell node -e "" && touch ${name}`);
    const task = await begin(stage, repository, steps);
    const first = await openQuestion(stage);
    assert.deepEqual(
      [first.kind, first.taskId, first.what, first.where, first.options, first.default],
      [
        ...['permission', task, 'use Bash: {"command":"node -e \\"\\" && touch a"}'],
        ...['node -e "" && touch a', ['yes', 'no'], 'no'],
      ],
    );
    const page = (await stage.data.run(['status'])).stdout;
    assert.match(page, /^Needs you \(1\)$/m);
    assert.match(page, new RegExp(`^ +baton answer ${first.id} yes\\|no --data`, 'm'));
    const other = await stage.data.run(['answer', task, 'perhaps', '--json']);
    assert.deepEqual([other.status, linesOf<{ code: string }>(other)[0]?.code], [2, 'invalid_argument']);
    const yes = await stage.data.json<QuestionView>('answer', task, 'yes');
    assert.deepEqual([yes.id, yes.answer?.answer, yes.answer?.by], [first.id, 'yes', 'operator']);
    await until(async () => (await openQuestion(stage)).id !== first.id);
    const second = await openQuestion(stage);
    await stage.data.json('answer', second.id, 'no');
    await until(() => isOver(stage, task));
    const made = names.map((name) => existsSync(join(repository.root, name)));
    assert.deepEqual(made, [true, false, false]);
    const answers = await answersOf(stage, task);
    assert.deepEqual(
      answers.map(({ payload }) => [payload.answer, payload.by]),
      [
        ['yes', 'operator'],
        ['no', 'operator'],
        ['no', 'timeout'],
      ],
    );
    assert.ok(answers.every(({ runId, sessionId }) => runId !== null && sessionId !== null));
    const late = await stage.data.run(['answer', task, 'yes']);
    assert.equal(late.status, 2);
    assert.match(late.stderr, /error: TASK-\S+ has no open question; the last one was answered no: nobody answered/);
    assert.match((await stage.data.run(['logs', task])).stdout, /args .*--permission-mode acceptEdits/);
  });

  test('may edit the files of its task without a question, and none of Baton’s', SLOW, async () => {
    const stage = await attended();
    const repository = stage.repository();
    const file = join(stage.data.path, 'config.yaml');
    const before = stage.data.read('config.yaml');
    const task = await begin(stage, repository, ['edit a.txt hello', `edit ${file} evil`]);
    await until(() => isOver(stage, task));
    assert.ok(existsSync(join(repository.root, 'a.txt')));
    assert.equal(stage.data.read('config.yaml'), before);
    assert.deepEqual(
      (await answersOf(stage, task)).map(({ payload }) => [payload.answer, payload.by, payload.reason]),
      [
        ['yes', 'policy', 'its task may write there'],
        ['no', 'policy', `${file} belongs to Baton`],
      ],
    );
  });

  test('a node that is killed while a question waits leaves none open', SLOW, async () => {
    const stage = await attended();
    const task = await begin(stage, stage.repository(), ['shell node -e ""']);
    const { id } = await openQuestion(stage);
    process.kill((stage.daemon as TestDaemon).facts.pid, 'SIGKILL');
    await stage.daemon?.ended;
    stage.daemon = null;
    const late = await stage.data.run(['answer', id, 'yes', '--json']);
    assert.deepEqual([late.status, linesOf<{ code: string }>(late)[0]?.code], [2, 'question_answered']);
    assert.deepEqual(await questionsOf(stage), []);
    const [answer] = await answersOf(stage, task);
    assert.deepEqual([answer?.payload.answer, answer?.payload.by], ['no', 'run-ended']);
  });

  test('where nobody can be asked it is refused at once, with the reason', SLOW, async () => {
    const stage = await aStage();
    const repository = stage.repository();
    const [program = '', ...words] = NO_SANDBOX;
    const run = await stage.data.run(
      [...words, join(ROOT, 'bin/baton'), 'run', 'shell node -e ""', '--agent', 'asker', '--yes', '--retries', '0'],
      { program, folder: repository.root },
    );
    assert.match(run.stdout, /answer +no \(nobody can be asked: the run has no terminal/);
    assert.match(run.stdout, /was not allowed: node -e ""/);
  });

  test('the person at the terminal of the run is asked there', { ...SLOW, skip: noTerminal }, async () => {
    const stage = await aStage();
    const repository = stage.repository();
    const args = ['run', 'shell node -e ""', '--agent', 'asker', '--yes', '--retries', '0'];
    const run = new TerminalRun([...args, '--data', stage.data.path], { through: NO_SANDBOX, cwd: repository.root });
    await run.shows(/may it use Bash: \{"command":"node -e \\"\\""\}\?/);
    await run.shows(/answer yes or no \(no in 10 min\): /);
    // What is typed in the first moment may have been meant for something else.
    await setTimeout(200);
    run.type('y\r');
    await run.shows(/ran node -e ""/);
    await run.ended;
    const [answer] = await answersOf(stage, '1');
    assert.deepEqual([answer?.payload.answer, answer?.payload.by], ['yes', 'terminal']);
  });
});

test('an agent in the sandbox is not asked about: the sandbox holds it', SLOW, async () => {
  const stage = await aStage();
  const repository = stage.repository();
  const words = 'shell node -e "" && touch a';
  const run = await stage.data.run(['run', words, '--agent', 'asker', '--yes', '--retries', '0'], {
    folder: repository.root,
  });
  assert.match(run.stdout, /args .*--permission-mode bypassPermissions/);
  assert.ok(existsSync(join(repository.root, 'a')), run.stdout);
  const [answer] = await answersOf(stage, '1');
  assert.deepEqual([answer?.payload.answer, answer?.payload.by], ['yes', 'policy']);
});

test('an answer to nothing is refused with what to do', async () => {
  const stage = await aStage();
  const { id } = await stage.data.newTask('quiet');
  for (const [words, exit, message] of [
    [[id, 'yes'], 2, /error: TASK-\S+ has no open question\ntry: baton status/],
    [['qst_nosuch', 'yes'], 2, /error: there is no question qst_nosuch/],
    [['no-such-task', 'yes'], 2, /error: there is no task "no-such-task"/],
    [[id], 2, /error: answer: needs an answer\ntry: baton answer TASK-\S+ yes\|no/],
    [[], 2, /error: answer: needs a task/],
  ] as const) {
    const run = await stage.data.run(['answer', ...words]);
    assert.equal(run.status, exit, run.stderr);
    assert.match(run.stderr, message);
  }
});
