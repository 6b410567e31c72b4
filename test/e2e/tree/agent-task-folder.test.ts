import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { aofText } from '../../support/message/aof-text.ts';
import { type OrderRun, RunStage, taskFor } from '../../support/run-stage.ts';
import { taken } from '../../support/taken.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const stage = await RunStage.up('agent-task-folder');
const client = stage.daemon?.client ?? assert.fail('no node');

/** Runs a script as an agent, in a sandbox. */
async function script(text: string, changes: Parameters<typeof taskFor>[2] = {}) {
  const { root } = stage.repository();
  const { task, ...rest } = changes;
  const run = await stage.run(taskFor('runs-a-script', root, { task: { objective: text, ...task }, ...rest }));
  return { run, said: said(run), folder: folderOf(run.own.task) };
}

function said(run: OrderRun): string {
  return (run.response.execution_summary?.actions ?? []).join('\n');
}

/** The folder of a task, in whatever status. */
function folderOf(task: string): string | undefined {
  const tasks = join(stage.data.path, 'tasks');
  return readdirSync(tasks)
    .map((status) => join(tasks, status, task))
    .find((path) => existsSync(path));
}

const LOOK = 'echo at=$BATON_TASK_FOLDER; cd $BATON_TASK_FOLDER && ls';

describe('the folder of a task, for the agent that Baton starts', { skip: noBubblewrap }, () => {
  test('it writes its own outputs/ and work/, and they stay with the task', async () => {
    const made = 'cd $BATON_TASK_FOLDER && echo sum > outputs/summary.md && echo draft > work/notes.txt && ls && pwd';
    const { said, folder = '' } = await script(made);
    assert.match(said, /^exit 0\ninputs\noutputs\nwork\n/m);
    assert.equal(readFileSync(join(folder, 'outputs', 'summary.md'), 'utf8'), 'sum\n');
    assert.equal(readFileSync(join(folder, 'work', 'notes.txt'), 'utf8'), 'draft\n');
  });

  test('a report whose summary and handoff it wrote has no warning; one without does', async () => {
    const tests = { total: 1, passed: 1, failed: 0 };
    const report = {
      outcome: 'done',
      summaryRef: 'outputs/summary.md',
      deliverables: [],
      tests,
      blockers: [],
      notes: '',
    };
    const { root } = stage.repository();
    const warned = async (write: object) => {
      const says = { write, print: [aofText('completion.report', 'OWN', 'speaks-for-itself', report)] };
      const run = await stage.run(taskFor('speaks-for-itself', root, { task: { objective: JSON.stringify(says) } }));
      const { events } = taken(await client.listEvents({ after: 0, task: run.own.task }));
      return events.some(({ type }) => type === 'protocol.message.warning');
    };
    const written = { 'FOLDER/outputs/summary.md': 'sum', 'FOLDER/outputs/handoff.md': 'next' };
    assert.deepEqual([await warned(written), await warned({})], [false, true]);
  });

  test('it reads its inputs/, and cannot change them or anything else of the data folder', async () => {
    const task = await stage.data.newTask('Look', '--body', `${LOOK}; cat inputs/brief.md; echo x > inputs/brief.md`);
    const inputs = join(stage.data.path, 'tasks', 'backlog', task.id, 'inputs');
    mkdirSync(inputs, { recursive: true });
    writeFileSync(join(inputs, 'brief.md'), 'the brief\n');
    const { root } = stage.repository();
    const args = ['run', task.id, '--agent', 'runs-a-script', '--yes', '--json'];
    const { stdout } = await stage.data.run(args, { folder: root });
    const actions = JSON.parse(stdout).execution_summary.actions.join('\n');
    assert.match(actions, /the brief/);
    assert.match(actions, /Read-only file system/);
    assert.equal(readFileSync(join(folderOf(task.id) ?? '', 'inputs', 'brief.md'), 'utf8'), 'the brief\n');
  });

  test('it does not see another task, the ledger, or the folder of its own under another name', async () => {
    const { said } = await script(`ls -a ${stage.data.path}; cat ${stage.data.path}/ledger.sqlite | head -c 6`);
    assert.doesNotMatch(said, /SQLite|tasks|ledger\.sqlite$/m);
  });

  test('a run that leaves nothing there leaves no folder', async () => {
    const { folder, said } = await script(LOOK);
    assert.match(said, /at=\/baton\/task/);
    assert.equal(folder, undefined);
  });

  test('without access to files it has none, and in read-only mode it writes nothing', async () => {
    const none = await script('echo "at=[$BATON_TASK_FOLDER]"', {
      target: { capabilities: { file_system_access: false } },
    });
    assert.match(none.said, /at=\[\]/);
    const readOnly = await script('touch $BATON_TASK_FOLDER/outputs/x; ls $BATON_TASK_FOLDER', {
      task: { constraints: { read_only_mode: true } },
    });
    assert.match(readOnly.said, /^inputs$/m);
    assert.doesNotMatch(readOnly.said, /^outputs$/m);
  });
});
