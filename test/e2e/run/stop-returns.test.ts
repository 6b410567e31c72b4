import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { StatusAnswer, TaskDetail } from '../../../src/api/contract.ts';
import type { TaskView } from '../../../src/api/task/task-view.ts';
import { linesOf } from '../../support/run-baton.ts';
import { output, processesOf, RunStage, taskFor, until } from '../../support/run-stage.ts';
import { noTerminal, TerminalRun } from '../../support/terminal-run.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const made = { task: { expected_outputs: [output('a.txt')] } };

describe('baton stop', { concurrency: 2, skip: noBubblewrap }, () => {
  test('returns when the agent has ended, and its next commands work at once', async () => {
    const stage = await RunStage.up('stop-returns');
    const repository = stage.repository();
    const task = taskFor('ignores-sigterm', repository.root, made);
    const run = stage.start(task);
    let id = '';
    await until(async () => {
      const { running } = await stage.data.json<StatusAnswer>('status');
      id = running[0]?.id ?? '';
      return id !== '' && processesOf(task).length > 0;
    });
    const stopped = await stage.data.run(['stop', id, '--json']);
    assert.equal(stopped.status, 0, stopped.stderr);
    assert.deepEqual(processesOf(task), []);
    const [view] = linesOf<TaskView & { readonly isStopped: boolean }>(stopped);
    assert.deepEqual([view?.id, view?.isStopped, view?.status], [id, true, 'blocked']);
    assert.match(stopped.stderr, /stopping TASK-\S+: waiting for the agent to end/);
    assert.deepEqual((await stage.data.json<StatusAnswer>('status')).running, []);
    assert.equal((await stage.data.run(['undo', id])).status, 0);
    assert.equal((await run.answered()).exit, 130);
  });

  test('a silent agent is not said to have reported: Baton found it', async () => {
    const stage = await RunStage.up('stop-silent');
    const repository = stage.repository();
    const ended = await stage.data.run([
      'run',
      '@demo write a.txt x',
      '--agent',
      'demo',
      '--workspace',
      repository.root,
    ]);
    assert.equal(ended.status, 3, ended.stderr);
    const shown = await stage.data.json<TaskDetail>('task', 'show', '1');
    assert.deepEqual(
      shown.runs.map(({ outcomeBy }) => outcomeBy),
      ['dispatcher'],
    );
    assert.match((await stage.data.run(['task', 'show', '1'])).stdout, /Baton found partial/);
  });

  test('after a second Ctrl-C nothing is shown as running, and the next commands are right', {
    skip: noTerminal,
  }, async () => {
    const stage = await RunStage.alone('stop-twice');
    const repository = stage.repository();
    const task = taskFor('ignores-sigterm', repository.root, made);
    const run = new TerminalRun(['run', stage.write(task), '--data', stage.data.path]);
    await run.shows(/│ working/);
    run.pressCtrlC();
    await run.shows(/│ no/);
    run.pressCtrlC();
    assert.equal(await run.ended, 130);
    await until(() => processesOf(task).length === 0);
    const status = await stage.data.json<StatusAnswer>('status');
    assert.deepEqual(status.running, []);
    const shown = await stage.data.json<TaskDetail>('task', 'show', '1');
    assert.deepEqual(
      shown.runs.map((each) => each.endedAt !== null),
      [true],
    );
  });

  test('a second Ctrl-C beside a node that runs says that it still ends the agent, and no dead run is left', {
    skip: noTerminal,
  }, async () => {
    const stage = await RunStage.up('stop-beside');
    const repository = stage.repository();
    const task = taskFor('ignores-sigterm', repository.root, made);
    const run = new TerminalRun(['run', stage.write(task), '--data', stage.data.path]);
    await run.shows(/│ working/);
    run.pressCtrlC();
    await run.shows(/│ no/);
    run.pressCtrlC();
    assert.equal(await run.ended, 130);
    assert.match(run.screen, /the node is still ending the agent of TASK-\S+: baton stop TASK-\S+ waits for it/);
    // It may have ended meanwhile: then there is nothing to stop.
    await stage.data.run(['stop', '1']);
    await until(async () => (await stage.data.json<StatusAnswer>('status')).running.length === 0);
    assert.deepEqual(processesOf(task), []);
  });
});
