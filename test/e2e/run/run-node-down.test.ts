import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TaskDetail } from '../../../src/api/contract.ts';
import { linesOf } from '../../support/run-baton.ts';
import { output, processesOf, RunStage, taskFor, until } from '../../support/run-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';

test('baton down ends a waiting baton run too: it starts nothing, and names the command that goes on', {
  skip: noBubblewrap,
}, async () => {
  const stage = await RunStage.up('run-node-down');
  const repository = stage.repository();
  const task = taskFor('works-until-told', repository.root, { task: { expected_outputs: [output('a.txt')] } });
  const run = stage.start(task);
  await until(() => 'work.pids' in repository.files());
  assert.equal((await stage.data.run(['down'])).status, 0);
  const ended = await run.ended;
  assert.equal(ended.status, 5, ended.stderr);
  const { id, runs } = await stage.data.json<TaskDetail>('task', 'show', '1');
  const why = `the node was stopped while ${id} was under way: its agent was ended, and its work so far stays in the files`;
  assert.deepEqual(linesOf(ended).at(-1), {
    verdict: 'refused',
    code: 'node_stopped',
    errors: [{ path: '', message: why }],
    hint: `baton run ${id} --data ${stage.data.path} continues it`,
  });
  assert.deepEqual([runs.length, processesOf(task)], [1, []]);
  assert.equal(repository.read('work.pids').trim().split('\n').length, 1);
  repository.write('go', '');
  const again = await stage.data.run(['run', id, '--json']);
  assert.equal(again.status, 0, again.stdout + again.stderr);
});
