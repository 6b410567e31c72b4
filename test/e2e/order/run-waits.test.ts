import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { output, RunStage, taskFor, until } from '../../support/run-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';
import { TestRepository } from '../../support/test-repository.ts';

const made = { task: { expected_outputs: [output('a.txt')] } };
const second = { task: { expected_outputs: [output('b.txt')] } };

/** Nothing is committed, so a worktree is impossible, and another order is running. */
async function occupied(stage: RunStage) {
  const repository = new TestRepository({ isEmpty: true });
  const first = stage.start(taskFor('works-until-told', repository.root, made));
  await until(() => existsSync(join(repository.root, 'work.pids')));
  return { repository, first };
}

/** The task of the order that waits. */
async function waitingIn(stage: RunStage): Promise<string> {
  await stage.daemon?.untilLogged('run.waits');
  const { waiting } = await stage.data.json<{ waiting: readonly Titled[] }>('status');
  return waiting.find(({ title }) => title === 'Second.')?.id ?? 'none';
}

interface Titled {
  readonly id: string;
  readonly title: string;
}

describe('an order that waits for its place', { skip: noBubblewrap }, () => {
  test('is stopped by a person without having begun: ABORTED, exit 130', async () => {
    const stage = await RunStage.up('run-waits');
    const { repository, first } = await occupied(stage);
    const task = taskFor('completes', repository.root, { task: { ...second.task, objective: 'Second.' } });
    const waits = stage.start(task);
    const stop = await stage.data.run(['stop', await waitingIn(stage)]);
    assert.equal(stop.status, 0, stop.stderr);
    const { exit, response, own } = await waits.answered();
    assert.deepEqual([exit, response.task_status.final_signal, own.run], [130, 'ABORTED', null]);
    repository.write('go', '');
    assert.equal((await first.answered()).exit, 0);
  });

  test('holds nobody up who can begin', async () => {
    const stage = await RunStage.up('run-waits-beside');
    stage.configure({ runs: { at_once: 2 } });
    const { repository, first } = await occupied(stage);
    const task = taskFor('completes', repository.root, { task: { ...second.task, objective: 'Second.' } });
    const waits = stage.start(task);
    await waitingIn(stage);
    const other = await stage.start(taskFor('completes', stage.repository().root, made)).answered();
    assert.equal(other.exit, 0);
    repository.write('go', '');
    assert.deepEqual([(await first.answered()).exit, (await waits.answered()).exit], [0, 0]);
  });

  test('is left to the next node when its own goes down', async () => {
    const stage = await RunStage.up('run-waits-on');
    const { repository, first } = await occupied(stage);
    const task = taskFor('completes', repository.root, { task: { ...second.task, objective: 'Second.' } });
    const { task: waiting } = await stage.data.json<{ task: Titled }>('run', stage.write(task), '--detach');
    assert.equal(await waitingIn(stage), waiting.id);
    first.child.kill('SIGKILL');
    await stage.daemon?.end();
    await stage.startNode();
    repository.write('go', '');
    await until(async () => ['done', 'blocked'].includes((await stage.task(waiting.id)).status));
    assert.equal((await stage.task(waiting.id)).status, 'done');
    assert.equal(repository.read('b.txt'), 'b.txt\n');
  });
});
