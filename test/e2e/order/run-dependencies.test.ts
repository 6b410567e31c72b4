import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TaskDetail } from '../../../src/api/contract.ts';
import type { TaskView } from '../../../src/api/task/task-view.ts';
import { output, RunStage, taskFor, until } from '../../support/run-stage.ts';
import { taken } from '../../support/taken.ts';
import { noBubblewrap } from '../../support/test-process.ts';
import type { TestRepository } from '../../support/test-repository.ts';

const stage = await RunStage.up('run-dependencies');

const made = { task: { expected_outputs: [output('a.txt')] } };

async function working(repository: TestRepository): Promise<void> {
  await until(() => existsSync(join(repository.root, 'work.pids')));
}

test('what depends on an order that failed is not run: E_DEPENDENCY_FAILED with its code; what does not goes on', {
  skip: noBubblewrap,
}, async () => {
  const repository = stage.repository();
  const validation = { command: 'grep better a.txt', expects: 'MATCH_FOUND' };
  const expected_outputs = [output('a.txt', { validation })];
  const task = taskFor('works-until-told', repository.root, { task: { expected_outputs } });
  const { task: detached } = await stage.data.json<{ task: TaskView }>('run', stage.write(task), '--detach');
  const { id } = detached;
  await working(repository);
  const second = await stage.data.newTask('Second', '--agent', 'demo', '--depends-on', id);
  const third = await stage.data.newTask('Third', '--agent', 'demo', '--depends-on', second.id);
  const other = await stage.data.newTask('Other');
  const session = { ...task.session };
  const after = (...x_depends_on: string[]) => ({
    ...taskFor('completes', repository.root, { task: { extensions: { x_depends_on } } }),
    session,
  });
  const inBacklog = async () => taken(await stage.daemon?.client.status()).counts.backlog ?? 0;
  const before = await inBacklog();
  const waits = stage.start(after(task.task.task_id));
  await until(async () => (await inBacklog()) > before);
  repository.write('go', '');
  const { exit, code, response } = await waits.answered();
  assert.deepEqual([exit, code, response.task_status.state], [4, 'E_DEPENDENCY_FAILED', 'SKIPPED']);
  const late = await stage.refused(after(task.task.task_id));
  assert.deepEqual([late.code, late.errors[0]?.path], ['E_DEPENDENCY_FAILED', '/task/extensions/x_depends_on/0']);
  const stranger = await stage.refused(after('nobody'));
  assert.equal(stranger.code, 'E_SCHEMA_VALIDATION');
  for (const waiting of [second, third]) {
    const { status, reason, runs } = await stage.data.json<TaskDetail>('task', 'show', waiting.id);
    assert.deepEqual([status, runs], ['blocked', []]);
    assert.equal(reason, `E_DEPENDENCY_FAILED: ${id}, which it depends on, failed with E_UNKNOWN`);
  }
  assert.equal((await stage.task(other.id)).status, 'backlog');
});

test('ABORT_SESSION ends what else runs and waits of its session, and nothing of another', {
  skip: noBubblewrap,
}, async () => {
  const repositories = [stage.repository(), stage.repository(), stage.repository()] as const;
  const [first, second, third] = repositories.map(({ root }) => taskFor('works-until-told', root, made));
  assert.ok(first && second && third);
  const { session } = first;
  const failing = { expected_outputs: [output('a.txt', { validation: { command: 'false', expects: 'EXIT_CODE_0' } })] };
  const policy = { execution_policy: { on_failure: 'ABORT_SESSION' } };
  const fails = { ...taskFor('works-until-told', repositories[0].root, { task: failing, ...policy }), session };
  const started = [stage.start(fails), stage.start({ ...second, session }), stage.start(third)] as const;
  await Promise.all(repositories.map(working));
  const x_depends_on = [second.task.task_id];
  const last = { ...taskFor('completes', repositories[1].root, { task: { extensions: { x_depends_on } } }), session };
  const { task: waiting } = await stage.data.send(last);
  repositories[0].write('go', '');
  const runs = [await started[0].answered(), await started[1].answered()];
  assert.deepEqual(
    runs.map(({ exit, response }) => [exit, response.task_status.state]),
    [
      [1, 'FAILED'],
      [4, 'ABORTED'],
    ],
  );
  assert.equal((await stage.task(runs[1]?.own.task ?? '')).status, 'cancelled');
  assert.ok(['cancelled', 'blocked'].includes((await stage.task(waiting?.id ?? '')).status));
  repositories[2].write('go', '');
  assert.equal((await started[2].answered()).exit, 0);
});

test('what depends on a task that is cancelled is not run: E_DEPENDENCY_FAILED, all the way down', async () => {
  const first = await stage.data.newTask('First');
  const second = await stage.data.newTask('Second', '--agent', 'demo', '--depends-on', first.id);
  const third = await stage.data.newTask('Third', '--agent', 'demo', '--depends-on', second.id);
  await stage.data.json('task', 'cancel', first.id);
  for (const { id } of [second, third]) {
    const { status, reason, runs } = await stage.data.json<TaskDetail>('task', 'show', id);
    assert.deepEqual([status, runs], ['blocked', []]);
    assert.match(reason ?? '', /^E_DEPENDENCY_FAILED: TASK-/);
  }
});
