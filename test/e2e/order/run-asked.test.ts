import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TaskDetail } from '../../../src/api/contract.ts';
import { linesOf } from '../../support/run-baton.ts';
import { output, RunStage, taskFor, until } from '../../support/run-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const made = { task: { expected_outputs: [output('a.txt')] } };
const show = (stage: RunStage, task: string) => stage.data.json<TaskDetail>('task', 'show', task);

async function byHand(stage: RunStage, words: string): Promise<string> {
  return (await stage.data.newTask(words, '--agent', 'demo', '--body', '@demo write by-hand.txt x')).id;
}

describe('baton run without a node', { concurrency: 2, skip: noBubblewrap }, () => {
  test('carries out what it was asked for, and leaves every other waiting task alone', async () => {
    const stage = await RunStage.alone('run-asked');
    const other = await byHand(stage, 'Waits in the backlog');
    const sent = await stage.data.send(taskFor('completes', stage.repository().root, made));
    const repository = stage.repository();
    const run = stage.start(taskFor('works-until-told', repository.root, made));
    await until(() => 'work.pids' in repository.files());
    const late = await byHand(stage, 'Made meanwhile');
    // A command through the same node is asked for: when it is over, the node has looked at the others again.
    const second = await stage.run(taskFor('completes', stage.repository().root, made));
    assert.equal(second.exit, 0);
    repository.write('go', '');
    assert.equal((await run.answered()).exit, 0);
    for (const task of [other, late, sent.task?.id ?? '']) {
      const { status, runs } = await show(stage, task);
      assert.deepEqual([status === 'ready' || status === 'backlog', runs], [true, []], task);
    }
  });

  test('carries out a dependency of its task, and a task that another command names', async () => {
    const stage = await RunStage.alone('run-asked-needs');
    const first = taskFor('completes', stage.repository().root, made);
    assert.equal((await stage.data.send(first)).exit, 0);
    const extensions = { x_depends_on: [first.task.task_id] };
    const repository = stage.repository();
    const task = { expected_outputs: [output('a.txt')], extensions };
    const run = stage.start({ ...taskFor('works-until-told', repository.root, { task }), session: first.session });
    await until(() => 'work.pids' in repository.files());
    assert.equal((await show(stage, '1')).runs.length, 1);
    const other = await byHand(stage, 'Asked for by its name');
    const { root } = stage.repository();
    const named = await stage.data.run(['run', other, '--yes', '--json', '--check', 'true'], { folder: root });
    assert.equal((await show(stage, other)).runs.length, 1, named.stdout + named.stderr);
    repository.write('go', '');
    assert.equal((await run.answered()).exit, 0);
  });

  test('leaves what a killed one began; baton run with its name goes on', async () => {
    const stage = await RunStage.alone('run-asked-left');
    const left = stage.repository();
    const killed = stage.start(taskFor('works-until-told', left.root, made));
    await until(() => 'work.pids' in left.files());
    killed.child.kill('SIGKILL');
    await killed.ended;
    assert.equal((await stage.run(taskFor('completes', stage.repository().root, made))).exit, 0);
    assert.equal((await show(stage, '1')).runs.length, 1);
    left.write('go', '');
    const again = await stage.data.run(['run', '1', '--json']);
    assert.equal(again.status, 0, again.stdout + again.stderr);
    assert.equal(left.read('a.txt'), 'worked\n');
    assert.equal(linesOf<{ message_type: string }>(again).at(-1)?.message_type, 'RESPONSE');
  });
});
