import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { output, processesOf, RunStage, taskFor, until } from '../../support/run-stage.ts';
import { taken } from '../../support/taken.ts';
import { noBubblewrap } from '../../support/test-process.ts';
import type { TestRepository } from '../../support/test-repository.ts';

const made = { task: { expected_outputs: [output('a.txt')] } };

/** How often the agent that works until it is told has begun. */
function begun(repository: TestRepository): number {
  return 'work.pids' in repository.files() ? repository.read('work.pids').trim().split('\n').length : 0;
}

async function theTask(stage: RunStage) {
  const task = await stage.daemon?.client.showTask({ task: '1' });
  assert.ok(task && !('kind' in task), JSON.stringify(task));
  return task;
}

describe('Baton is killed', { concurrency: 3, skip: noBubblewrap }, () => {
  test('nothing of its agent lives on, and the next node does the work without a retry', async () => {
    const stage = await RunStage.alone('run-killed');
    const repository = stage.repository();
    const task = taskFor('works-until-told', repository.root, made);
    const run = stage.start(task);
    await until(() => begun(repository) === 1);
    assert.ok(processesOf(task).length > 0);
    run.child.kill('SIGKILL');
    await until(() => processesOf(task).length === 0);
    repository.write('go', '');
    await stage.startNode();
    await until(async () => (await theTask(stage)).status === 'done');
    const { runs, id } = await theTask(stage);
    assert.equal(runs.length, 2);
    await until(() => stage.data.has('runs', id, 'response.json'));
    const response = stage.data.readJson<{
      timing: { retries_attempted: number };
      execution_summary: { warnings: string[] };
    }>('runs', id, 'response.json');
    assert.equal(response.timing.retries_attempted, 0);
    assert.match(response.execution_summary.warnings.join('\n'), /1 of 2 runs were lost/);
  });

  test('where there is no git, the next run is told who keeps the folder, and how it is given up', async () => {
    const stage = await RunStage.alone('run-keeps-folder');
    const root = join(stage.folder, 'plain');
    mkdirSync(root);
    const task = taskFor('works-until-told', root, made);
    const run = stage.start(task);
    await until(() => existsSync(join(root, 'work.pids')));
    run.child.kill('SIGKILL');
    await until(() => processesOf(task).length === 0);
    const words = ['run', '@demo write b.txt x', '--agent', 'demo', '--workspace', root, '--yes', '--json'];
    const refused = JSON.parse((await stage.data.run(words)).stdout);
    assert.deepEqual(
      [refused.code, /TASK-\S+ was interrupted/.test(refused.errors[0].message)],
      ['resource_busy', true],
    );
    const { hint } = refused;
    assert.match(hint, /^baton run (TASK-\S+) resumes it; baton task cancel \1 cancels it$/);
    assert.equal((await stage.data.run(['task', 'cancel', '1'])).status, 0);
    assert.equal((await stage.data.run([...words, '--check', 'test -s b.txt'])).status, 0);
  });

  test('or asked to end, six times in a row: the order goes on each time, and no run counts as completed', async () => {
    const stage = await RunStage.alone('run-killed-often');
    const repository = stage.repository();
    const task = taskFor('works-until-told', repository.root, made);
    const first = stage.start(task);
    await until(() => begun(repository) === 1);
    first.child.kill('SIGKILL');
    for (const time of [2, 3, 4, 5, 6]) {
      const daemon = await stage.startNode();
      await until(() => begun(repository) === time);
      await daemon.end(time % 2 === 0 ? 'SIGKILL' : 'SIGTERM');
    }
    repository.write('go', '');
    await stage.startNode();
    await until(async () => (await theTask(stage)).status === 'done');
    const { runs } = await theTask(stage);
    assert.deepEqual(runs.map(({ status }) => status).toSorted(), [
      'completed',
      ...Array.from({ length: 6 }, () => 'failed'),
    ]);
    await until(() => processesOf(task).length === 0);
  });

  test('in the middle of a wait between two attempts: the next node keeps to the time', async () => {
    const stage = await RunStage.alone('run-backoff');
    const repository = stage.repository();
    const execution_policy = { max_retries: 1, retry_backoff_seconds: [5] };
    const run = stage.start(taskFor('crashes', repository.root, { ...made, execution_policy }));
    const events = async () => {
      return taken(await stage.daemon?.client.listEvents({ after: 0, task: '1' })).events;
    };
    const today = new Date().toISOString().slice(0, 10);
    await until(
      () =>
        stage.data.has('events', `${today}.jsonl`) &&
        stage.data.read('events', `${today}.jsonl`).includes('"order.requeued"'),
    );
    run.child.kill('SIGKILL');
    await stage.startNode();
    await until(async () => (await theTask(stage)).status === 'blocked');
    const all = await events();
    const requeued = all.find(({ type }) => type === 'order.requeued');
    const due = Date.parse(String(requeued?.payload.dueAt));
    const again = Date.parse(all.findLast(({ payload }) => payload.to === 'in-progress')?.timestamp ?? '');
    assert.ok(again >= due, `${again - due} ms off; ${JSON.stringify(requeued)}`);
    assert.equal((await theTask(stage)).runs.length, 2);
  });

  test('the placeholder in .git is found by doctor, and goes when the next node starts', async () => {
    const stage = await RunStage.alone('run-left-pointer');
    const repository = stage.repository();
    const inner = join(repository.root, 'inner');
    execFileSync('git', ['init', '-q', inner]);
    const run = stage.start(taskFor('works-until-told', repository.root, made));
    await until(() => begun(repository) === 1);
    run.child.kill('SIGKILL');
    await run.ended;
    const pointers = [repository.root, inner].map((root) => join(root, '.git/commondir'));
    assert.deepEqual(pointers.map(existsSync), [true, true], 'a kill leaves them');
    const sick = await stage.data.run(['doctor']);
    const [pointer = ''] = pointers;
    assert.match(
      sick.stdout,
      new RegExp(`^note {3}repositories: a killed run left ${pointer} and 1 more\\n {7}try: baton up`, 'm'),
    );
    assert.ok(existsSync(pointer), 'doctor changes nothing');
    // A file of the user with another content is no placeholder.
    const other = stage.repository();
    writeFileSync(join(other.root, '.git/commondir'), '../.git\n');
    assert.equal((await stage.data.run(['stop', '1'])).status, 0);
    assert.deepEqual(pointers.map(existsSync), [false, false]);
    assert.ok(existsSync(join(other.root, '.git/commondir')));
    assert.match((await stage.data.run(['doctor'])).stdout, /^ok {5}repositories: /m);
  });

  test('without a node baton stop ends what was left, and logs -f does not wait for what nobody does', async () => {
    const stage = await RunStage.alone('run-left-stopped');
    const repository = stage.repository();
    const task = taskFor('works-until-told', repository.root, made);
    const run = stage.start(task);
    await until(() => begun(repository) === 1);
    run.child.kill('SIGKILL');
    await run.ended;
    assert.equal((await stage.data.run(['logs', '1', '-f'])).status, 0);
    const stopped = await stage.data.json<{ id: string; status: string }>('stop', '1');
    assert.equal(stopped.status, 'blocked');
    const { runs } = await stage.data.json<{ runs: { status: string }[] }>('task', 'show', '1');
    assert.deepEqual(
      runs.map(({ status }) => status),
      ['failed'],
      'a lost run did not complete',
    );
    assert.equal(stage.data.readJson<Answer>('runs', stopped.id, 'response.json').task_status.state, 'ABORTED');
    assert.deepEqual(processesOf(task), []);
    assert.match((await stage.data.run(['diff', '1'])).stdout, /work\.pids/);
    assert.equal((await stage.data.run(['undo', '1'])).status, 0);
    assert.deepEqual(Object.keys(repository.files()), ['readme.md']);
  });

  test('the node that carries the work of another command: that command takes its place', async () => {
    const stage = await RunStage.up('run-taken-over');
    const repository = stage.repository();
    const task = taskFor('works-until-told', repository.root, made);
    const run = stage.start(task);
    await until(() => begun(repository) === 1);
    await stage.daemon?.end('SIGKILL');
    await until(() => begun(repository) === 2);
    repository.write('go', '');
    const { exit, response } = await run.answered();
    assert.deepEqual([exit, response.timing?.retries_attempted], [0, 0]);
    await until(() => processesOf(task).length === 0);
  });

  test('asked to end, a node ends its agents, and the next goes on', async () => {
    const stage = await RunStage.up('run-ended-node');
    const repository = stage.repository();
    const task = taskFor('works-until-told', repository.root, made);
    const { id } = await detached(stage, task);
    await until(() => begun(repository) === 1);
    const down = await stage.data.run(['down']);
    assert.match(down.stdout, /has stopped; it ended 1 running agent, and its order continues at the next start/);
    await until(() => processesOf(task).length === 0);
    repository.write('go', '');
    await stage.startNode();
    await until(async () => (await theTask(stage)).status === 'done');
    assert.equal((await theTask(stage)).id, id);
    assert.equal((await theTask(stage)).runs.length, 2);
  });
});

async function detached(stage: RunStage, task: object): Promise<{ readonly id: string }> {
  const { task: made } = await stage.data.json<{ task: { id: string } }>('run', stage.write(task), '--detach');
  return made;
}

interface Answer {
  readonly task_status: { readonly state: string };
}
