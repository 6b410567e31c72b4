import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import {
  type AopTask,
  output,
  processesOf,
  RunStage,
  type StartedRun,
  taskFor,
  until,
} from '../../support/run-stage.ts';
import { taken } from '../../support/taken.ts';
import { noBubblewrap } from '../../support/test-process.ts';
import type { TestRepository } from '../../support/test-repository.ts';

const stage = await RunStage.up('run-stops');
const made = { task: { expected_outputs: [output('a.txt')] } };
const patient = { execution_policy: { max_retries: 1, retry_backoff_seconds: [60] } };

async function working(repository: TestRepository): Promise<void> {
  await until(() => existsSync(join(repository.root, 'work.pids')));
}

async function gone(task: AopTask): Promise<void> {
  await until(() => processesOf(task).length === 0);
}

/** A run that waits for its second attempt, and its task. */
async function waiting(agent: string): Promise<{ readonly run: StartedRun; readonly id: string }> {
  const { root } = stage.repository();
  const task = taskFor(agent, root, {
    ...made,
    ...patient,
    task: { objective: `Wait as ${agent} in ${root}`, ...made.task },
  });
  const run = stage.start(task);
  let id = '';
  await until(async () => {
    const page = await stage.daemon?.client.listTasks({});
    const found =
      page && 'tasks' in page ? page.tasks.find(({ title }) => title.startsWith(`Wait as ${agent}`)) : undefined;
    id = found?.id ?? '';
    if (id === '') return false;
    const { events } = taken(await stage.daemon?.client.listEvents({ after: 0, task: id }));
    return events.some(({ type }) => type === 'order.requeued');
  });
  return { run, id };
}

describe('stopping', { concurrency: 3, skip: noBubblewrap }, () => {
  test('in the wait between two attempts: ABORTED at once, exit 130, and no second attempt', async () => {
    const { run, id } = await waiting('crashes');
    assert.equal((await stage.data.run(['stop', id, '--json'])).status, 0);
    const { exit, response } = await run.answered();
    assert.deepEqual([exit, response.task_status.state, response.timing?.retries_attempted], [130, 'ABORTED', 0]);
    assert.equal((await stage.task(id)).status, 'blocked');
  });

  test('cancelled in the wait: ABORTED, exit 4, and the task is cancelled', async () => {
    const { run, id } = await waiting('says-nothing');
    await stage.data.json('task', 'cancel', id);
    const { exit, response } = await run.answered();
    assert.deepEqual([exit, response.task_status.state], [4, 'ABORTED']);
    assert.equal((await stage.task(id)).status, 'cancelled');
  });

  test('cancelled while its agent is being started: nothing of it is left', async () => {
    const client = stage.daemon?.client;
    assert.ok(client);
    const cancelled: AopTask[] = [];
    for (let time = 0; time < 5; time++) {
      const repository = stage.repository();
      const task = taskFor('works-until-told', repository.root, made);
      const answer = await client.submitOrder({ text: JSON.stringify(task), workspace: repository.root });
      assert.ok('task' in answer, JSON.stringify(answer));
      const { id } = answer.task;
      await until(async () => (await stage.task(id)).status === 'in-progress');
      await client.cancelTask({ task: id, reason: 'not wanted' });
      await until(async () => {
        const report = await client.orderReport({ task: id });
        return 'isOver' in report && report.isOver;
      });
      cancelled.push(task);
    }
    // A later run has begun and ended by then: what was on its way is there, if it is ever there.
    assert.equal((await stage.run(taskFor('completes', stage.repository().root, made))).exit, 0);
    for (const task of cancelled) await gone(task);
  });

  test('SIGTERM of the command is a stop as well', async () => {
    const repository = stage.repository();
    const task = taskFor('works-until-told', repository.root, made);
    const run = stage.start(task);
    await working(repository);
    run.child.kill('SIGTERM');
    assert.equal((await run.answered()).exit, 130);
    await gone(task);
  });

  for (const [when, quick] of [
    ['before', 'never'],
    ['after', 'a.txt'],
  ] as const) {
    test(`while a check runs ${when} the work: it is ended, and so is the task`, async () => {
      const repository = stage.repository();
      // Long where its file is there, and over at once where it is not.
      const test = quick === 'never' ? '!' : '';
      repository.write('check.sh', `if ${test} test -f a.txt; then echo > checking; exec sleep 599; fi`);
      const validation = { command: 'sh check.sh', expects: 'EXIT_CODE_0' };
      const task = taskFor('demo', repository.root, {
        task: { objective: '@demo write a.txt x', expected_outputs: [{ ...output('a.txt'), validation }] },
      });
      const run = stage.start(task);
      await until(() => existsSync(join(repository.root, 'checking')));
      run.child.kill('SIGINT');
      const { exit, response } = await run.answered();
      assert.deepEqual([exit, response.task_status.state], [130, 'ABORTED']);
      await gone(task);
    });
  }

  test('a stop rolls back what was kept, with the trigger TASK_ABORTED', async () => {
    const repository = stage.repository();
    const kept = output('readme.md', { rollback_snapshot: { enabled: true } });
    const task = taskFor('demo', repository.root, {
      task: {
        objective: '@demo write readme.md spoilt\n@demo write work.pids x\n@demo hang',
        expected_outputs: [kept],
      },
    });
    const run = stage.start(task);
    await working(repository);
    run.child.kill('SIGINT');
    const { exit, events } = await run.answered();
    assert.equal(exit, 130);
    assert.equal(repository.read('readme.md'), 'one\ntwo\nthree\n');
    assert.equal(events.find(({ event }) => event === 'ROLLBACK_INITIATED')?.trigger, 'TASK_ABORTED');
  });

  test('an agent that ends leaves nothing behind, in order or not', async () => {
    for (const [agent, rest] of [
      ['forks-a-daemon', {}],
      ['works-until-told', { guard_rails: { timeout_seconds: 1 } }],
    ] as const) {
      const { root } = stage.repository();
      const task = taskFor(agent, root, { ...made, ...rest });
      assert.equal((await stage.run(task)).exit, 1);
      assert.deepEqual(processesOf(task), [], agent);
    }
  });

  test('a blocked task that is retried runs the same order again', async () => {
    const repository = stage.repository();
    const validation = { command: 'grep -q yes answer.txt', expects: 'EXIT_CODE_0' };
    const task = taskFor('claims-success', repository.root, {
      task: { expected_outputs: [output('answer.txt', { validation })] },
    });
    const { exit, own } = await stage.run(task);
    assert.equal(exit, 1);
    repository.write('answer.txt', 'yes\n');
    await stage.data.json('task', 'retry', own.task);
    await until(async () => (await stage.task(own.task)).status === 'done');
  });
});

test('two commands without a node: the first carries both, and stays until the second is done', {
  skip: noBubblewrap,
}, async () => {
  const alone = await RunStage.alone('run-two');
  const repository = alone.repository();
  const other = alone.repository();
  const first = alone.start(taskFor('works-until-told', repository.root, made));
  await working(repository);
  const second = alone.start(taskFor('works-until-told', other.root, made));
  await working(other);
  const third = await alone.run(
    taskFor('completes', repository.root, { task: { expected_outputs: [output('b.txt')] } }),
  );
  assert.deepEqual([third.exit, third.own.workplace], [0, 'worktree']);
  repository.write('go', '');
  await until(() => 'a.txt' in repository.files());
  other.write('go', '');
  const [one, two] = await Promise.all([first.answered(), second.answered()]);
  assert.deepEqual([one.exit, two.exit], [0, 0]);
});

test('outside of git it works too, and the answer says that there is no undo', { skip: noBubblewrap }, async () => {
  const root = join(stage.folder, 'plain');
  mkdirSync(root);
  writeFileSync(join(root, 'old.txt'), 'old\n');
  const { exit, response } = await stage.run(taskFor('completes', root, made));
  assert.equal(exit, 0);
  const [artifact] = response.execution_summary?.output_artifacts ?? [];
  assert.deepEqual([artifact?.path, artifact?.status], [join(root, 'a.txt'), 'CREATED']);
  assert.match(response.execution_summary?.warnings?.join('\n') ?? '', /not in git/);
});

test('files that were changed before are told, and a clean repository has nothing to tell', {
  skip: noBubblewrap,
}, async () => {
  const repository = stage.repository();
  const clean = await stage.run(taskFor('completes', repository.root, made));
  assert.deepEqual(clean.response.execution_summary?.warnings, []);
  const dirty = await stage.run(taskFor('completes', repository.root, made));
  assert.match(dirty.response.execution_summary?.warnings?.join('\n') ?? '', /^uncommitted files before the run: 1;/);
});

test('AOP v1 markdown is an order', { skip: noBubblewrap }, async () => {
  const repository = stage.repository();
  const file = join(stage.folder, 'task.md');
  writeFileSync(file, '# ORCHESTRATION_TASK\nPROTOCOL: AOP v1\n\n## Objective\n@demo write v1.txt hello\n');
  const run = await stage.data.run(['run', file, '--agent', 'demo', '--check', 'grep hello v1.txt', '--json'], {
    folder: repository.root,
  });
  assert.equal(run.status, 0, run.stdout + run.stderr);
  assert.equal(repository.read('v1.txt'), 'hello\n');
});
