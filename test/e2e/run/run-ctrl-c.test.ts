import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { output, processesOf, RunStage, taskFor, until } from '../../support/run-stage.ts';
import { noTerminal, TerminalRun } from '../../support/terminal-run.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const made = { task: { expected_outputs: [output('a.txt')] } };
const skip = noTerminal || noBubblewrap;

async function begin(name: string, agent: string) {
  const stage = await RunStage.alone(name);
  const repository = stage.repository();
  const task = taskFor(agent, repository.root, made);
  const run = new TerminalRun(['run', stage.write(task), '--data', stage.data.path]);
  await run.shows(/│ working/);
  return { stage, repository, task, run };
}

describe('at a terminal', { concurrency: 2, skip }, () => {
  test('Ctrl-C gives the agent its time to end, tells so, and exits 130', async () => {
    const { task, run } = await begin('terminal-once', 'ends-slowly');
    run.pressCtrlC();
    assert.equal(await run.ended, 130);
    assert.match(run.screen, /stopping TASK-\S+; press Ctrl-C again to exit at once/);
    assert.match(run.screen, /in order/, 'the agent was not let end');
    assert.deepEqual(processesOf(task), []);
  });

  test('a second one leaves at once, says what is left, and nothing of the agent lives', async () => {
    const { stage, task, run, repository } = await begin('terminal-twice', 'ignores-sigterm');
    run.pressCtrlC();
    await run.shows(/│ no/);
    run.pressCtrlC();
    assert.equal(await run.ended, 130);
    assert.match(run.screen, /TASK-\S+ was ended at once; its work so far stays in the files: baton task show TASK-/);
    await until(() => processesOf(task).length === 0);
    assert.equal((await stage.task('1')).status, 'blocked');
    assert.deepEqual(Object.keys(repository.files()), ['readme.md']);
  });

  test('Ctrl-C of the command that is the node leaves the run of another alone', async () => {
    const { stage, run } = await begin('terminal-others', 'works-until-told');
    const other = stage.repository();
    const second = stage.start(taskFor('works-until-told', other.root, made));
    await until(() => 'work.pids' in other.files());
    run.pressCtrlC();
    await run.shows(/still running TASK-/);
    other.write('go', '');
    const { exit, response } = await second.answered();
    assert.deepEqual([exit, response.timing?.retries_attempted], [0, 0]);
    assert.equal(await run.ended, 130);
  });
});
