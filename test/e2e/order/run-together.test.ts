import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { TaskView } from '../../../src/api/task/task-view.ts';
import type { OrderPlan } from '../../../src/domain/order/order-request.ts';
import { DataFolder } from '../../support/data-folder.ts';
import { type AopTask, output, processesOf, RunStage, taskFor, until } from '../../support/run-stage.ts';
import { taken } from '../../support/taken.ts';
import { noBubblewrap } from '../../support/test-process.ts';
import type { TestRepository } from '../../support/test-repository.ts';

const stage = await RunStage.up('run-together');

const made = { task: { expected_outputs: [output('a.txt')] } };

async function working(repository: TestRepository): Promise<void> {
  await until(() => existsSync(join(repository.root, 'work.pids')));
}

/** The task of an order that is under way. */
async function taskOf(repository: TestRepository): Promise<string> {
  const running = taken(await stage.daemon?.client.status()).running;
  for (const { id } of running) {
    const log = await stage.daemon?.client.orderReport({ task: id });
    if (log && !('kind' in log) && log.workplace?.folder === repository.root) return id;
  }
  throw new Error(`nothing runs in ${repository.root}`);
}

async function gone(task: AopTask): Promise<void> {
  await until(() => processesOf(task).length === 0);
}

describe('runs and people', { concurrency: 3, skip: noBubblewrap }, () => {
  test('baton stop of another process ends it: ABORTED, exit 130, and its changes stay in place', async () => {
    const repository = stage.repository();
    const task = taskFor('works-until-told', repository.root, made);
    const run = stage.start(task);
    await working(repository);
    const id = await taskOf(repository);
    const stop = await stage.data.run(['stop', id, '--json']);
    assert.equal(stop.status, 0, stop.stdout);
    const { exit, response, own } = await run.answered();
    assert.deepEqual(
      [exit, response.task_status.state, response.task_status.final_signal],
      [130, 'ABORTED', 'ABORTED'],
    );
    assert.equal(own.task, id);
    assert.ok('work.pids' in repository.files());
    assert.equal((await stage.task(id)).status, 'blocked');
    await gone(task);
    const again = await stage.data.run(['stop', id, '--json']);
    assert.equal(again.status, 2, 'there is nothing left to stop');
  });

  test('Ctrl-C ends it: exit 130, and nothing is left running', async () => {
    const repository = stage.repository();
    const task = taskFor('works-until-told', repository.root, made);
    const run = stage.start(task);
    await working(repository);
    run.child.kill('SIGINT');
    const { exit, response } = await run.answered();
    assert.deepEqual([exit, response.task_status.final_signal], [130, 'ABORTED']);
    await gone(task);
  });

  test('task cancel of a running task ends its agent: cancelled, ABORTED, exit 4', async () => {
    const repository = stage.repository();
    const task = taskFor('works-until-told', repository.root, made);
    const run = stage.start(task);
    await working(repository);
    const id = await taskOf(repository);
    assert.equal((await stage.data.run(['task', 'cancel', id, '--json'])).status, 0);
    const { exit, response } = await run.answered();
    assert.deepEqual([exit, response.task_status.state], [4, 'ABORTED']);
    assert.equal((await stage.task(id)).status, 'cancelled');
    await gone(task);
  });

  for (const [how, status, left] of [
    [['cancel'], 'cancelled', 'mine\n'],
    [['move', 'review'], 'review', 'half done\n'],
  ] as const) {
    const becomes = left === 'mine\n' ? 'puts its outputs back, as every abort does' : 'leaves them to who goes on';
    test(`task ${how.join(' ')} of a running task ${becomes}`, async () => {
      const repository = stage.repository();
      repository.write('a.txt', 'mine\n');
      const expected_outputs = [output('a.txt', { rollback_snapshot: { enabled: true } }), output('readme.md')];
      const started = stage.start(taskFor('works-until-told', repository.root, { task: { expected_outputs } }));
      await working(repository);
      repository.write('a.txt', 'half done\n');
      const id = await taskOf(repository);
      const [verb, ...to] = how;
      await stage.data.json('task', verb, id, ...to);
      const { exit, response, events } = await started.answered();
      assert.deepEqual([exit, response.task_status.state], [4, 'ABORTED']);
      const triggers = events.map(({ event, trigger }) => `${event} ${trigger}`);
      assert.deepEqual(triggers, left === 'mine\n' ? ['ROLLBACK_INITIATED TASK_ABORTED'] : []);
      assert.deepEqual([repository.read('a.txt'), (await stage.task(id)).status], [left, status]);
    });
  }

  test('task move of a running task to blocked ends its agent too', async () => {
    const repository = stage.repository();
    const task = taskFor('works-until-told', repository.root, made);
    const run = stage.start(task);
    await working(repository);
    const id = await taskOf(repository);
    const move = await stage.data.run(['task', 'move', id, 'blocked', '--json']);
    assert.equal(move.status, 0, move.stdout);
    assert.equal((await run.answered()).exit, 4);
    assert.equal((await stage.task(id)).status, 'blocked');
    await gone(task);
  });

  test('the same order while it lives is refused', async () => {
    const repository = stage.repository();
    const task = taskFor('works-until-told', repository.root, made);
    const run = stage.start(task);
    await working(repository);
    const refused = await stage.refused(task);
    assert.deepEqual([refused.exit, refused.code], [2, 'already_claimed']);
    repository.write('go', '');
    assert.equal((await run.answered()).exit, 0);
  });

  test('a second run in the same repository gets a worktree; apply merges its work into the files', async () => {
    const repository = stage.repository();
    const first = stage.start(taskFor('works-until-told', repository.root, made));
    await working(repository);
    const second = await stage.run(
      taskFor('completes', repository.root, { task: { expected_outputs: [output('second/b.txt')] } }),
    );
    assert.deepEqual([second.exit, second.own.workplace], [0, 'worktree'], second.stdout);
    assert.equal('second/b.txt' in repository.files(), false, 'not in the files of the person');
    repository.write('go', '');
    const done = await first.answered();
    assert.deepEqual([done.exit, done.own.workplace], [0, 'in-place']);
    const head = repository.git('rev-parse', 'HEAD');
    const applied = await stage.data.run(['apply', second.own.task, '--json']);
    assert.equal(applied.status, 0, applied.stdout);
    assert.equal(repository.read('second/b.txt'), 'second/b.txt\n');
    assert.equal(repository.read('a.txt'), 'worked\n');
    assert.equal(repository.git('rev-parse', 'HEAD'), head);
  });

  test('a second run in a folder that git ignores waits for the first, and a worktree of it is refused with what to do', async () => {
    const repository = stage.repository();
    repository.write('.gitignore', 'out/\n');
    repository.commit('ignored');
    repository.write('out/is/here', 'x');
    const root = join(repository.root, 'out');
    const expected = (path: string) => ({ task: { expected_outputs: [output(path)] } });
    const wanted = await stage.refused(taskFor('completes', root, expected('a.txt')), '--worktree');
    assert.deepEqual([wanted.exit, wanted.code], [2, 'invalid_argument']);
    assert.match(JSON.stringify(wanted), /in no commit.*commit a file in it, or order it without a worktree/);
    const first = stage.start(taskFor('works-until-told', root, made));
    await until(() => existsSync(join(root, 'work.pids')));
    const second = stage.start(taskFor('completes', root, expected('b.txt')));
    await until(() => stage.daemon?.logLines().some(({ event }) => event === 'run.waits') ?? false);
    repository.write('out/go', '');
    assert.equal((await first.answered()).exit, 0);
    const { exit, own } = await second.answered();
    assert.deepEqual([exit, own.workplace], [0, 'in-place']);
  });

  test('--detach answers at once, and logs -f tells the end', async () => {
    const repository = stage.repository();
    const task = taskFor('works-until-told', repository.root, made);
    const { task: taken } = await stage.data.json<{ task: TaskView }>('run', stage.write(task), '--detach');
    assert.match(taken.id, /^TASK-/);
    const logs = stage.data.run(['logs', taken.id, '-f']);
    await working(repository);
    repository.write('go', '');
    const { status, stdout } = await logs;
    assert.equal(status, 0);
    assert.match(stdout, /working/);
    await until(async () => (await stage.task(taken.id)).status === 'done');
  });

  test('a new priority comes as an event to who follows the order, by who gave it', async () => {
    const repository = stage.repository();
    const task = taskFor('works-until-told', repository.root, made);
    const started = stage.start(task);
    await working(repository);
    const id = await taskOf(repository);
    await stage.data.json('task', 'edit', id, '--priority', 'critical', '--reason', 'the release waits');
    repository.write('go', '');
    const { exit, events } = await started.answered();
    const said = events.find(({ event }) => event === 'PRIORITY_ESCALATION');
    assert.equal(exit, 0);
    assert.deepEqual(said, {
      aop_version: '2.0.2-C',
      message_type: 'EVENT',
      event: 'PRIORITY_ESCALATION',
      session_id: task.session.session_id,
      task_id: task.task.task_id,
      timestamp: said?.timestamp,
      old_priority: 'NORMAL',
      new_priority: 'CRITICAL',
      reason: 'the release waits',
      escalated_by: 'operator',
    });
  });

  test('progress of the agent comes as events, and the rest of its output does not stand in the JSON', async () => {
    const { root } = stage.repository();
    const { events } = await stage.run(taskFor('completes', root, made));
    assert.deepEqual(
      events.map(({ event }) => event),
      ['PROGRESS_UPDATE'],
    );
  });

  test('the last progress of a run comes as an event, also if it ends within the 30 seconds', async () => {
    const { root } = stage.repository();
    const { events } = await stage.run(taskFor('reports-progress', root));
    const progress = events.filter(({ event }) => event === 'PROGRESS_UPDATE');
    assert.deepEqual(
      progress.map((message) => (message['progress'] as { percentage: number }).percentage),
      [10, 100],
    );
  });
});

test('--dry-run shows the plan and makes nothing', { skip: noBubblewrap }, async () => {
  const repository = stage.repository();
  const before = repository.fingerprint();
  const file = stage.write(taskFor('demo', repository.root, made));
  const run = await stage.data.run(['run', file, '--dry-run', '--json']);
  assert.equal(run.status, 0, run.stdout);
  assert.equal((JSON.parse(run.stdout) as { agent: { name: string } }).agent.name, 'demo');
  assert.deepEqual(repository.fingerprint(), before);
  const { runBaton } = await import('../../support/run-baton.ts');
  // A data folder that is not named need not exist.
  assert.equal((await runBaton(['run', file, '--dry-run'], { folder: repository.root })).status, 0);
  assert.equal(existsSync(join(repository.root, '.baton')), false);
  assert.equal(repository.git('for-each-ref', 'refs/baton'), '');
});

test('--dry-run names the order that works in the folder now', { skip: noBubblewrap }, async () => {
  const repository = stage.repository();
  const first = taskFor('works-until-told', repository.root, made);
  const running = stage.start(first);
  await working(repository);
  const id = await taskOf(repository);
  const file = stage.write(taskFor('demo', repository.root, made));
  const run = await stage.data.run(['run', file, '--dry-run', '--json']);
  const { workplace, heldBy } = JSON.parse(run.stdout) as OrderPlan;
  assert.deepEqual([workplace, heldBy], ['worktree', id]);
  await stage.data.run(['stop', id, '--json']);
  await running.answered();
});

test('--dry-run without a node knows the tasks that are stored', { skip: noBubblewrap }, async () => {
  const repository = stage.repository();
  const data = new DataFolder(join(repository.root, '.baton'));
  await data.json('init');
  const first = taskFor('demo', repository.root, { task: { objective: '@demo write a.txt hello' } });
  assert.ok(((await data.run(['run', stage.write(first), '--json'])).status ?? 9) <= 3);
  const depends = (on: string) => ({
    ...taskFor('demo', repository.root, { task: { extensions: { x_depends_on: [on] } } }),
    session: first.session,
  });
  const plan = (on: string) => data.run(['run', stage.write(depends(on)), '--dry-run', '--json']);
  const known = await plan(first.task.task_id);
  assert.equal(known.status, 0, known.stdout + known.stderr);
  assert.equal((await plan('nobody')).status, 2);
});

test('a task made by hand for an agent is taken up by the node, and done where the data folder is', {
  skip: noBubblewrap,
}, async () => {
  const repository = stage.repository();
  const own = await RunStage.within(repository.root);
  const task = await own.data.newTask('@demo write by-hand.txt hello', '--agent', 'demo', '--no-review');
  await until(async () => (await own.task(task.id)).status === 'review');
  assert.equal(repository.read('by-hand.txt'), 'hello\n');
  await until(() => own.data.has('tasks', 'review', `${task.id}.md`));
  const { reason } = await own.data.json<{ reason: string }>('task', 'show', task.id);
  assert.match(reason, /no checks were defined/);
});
