import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { output, RunStage, taskFor } from '../../support/run-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const stage = await RunStage.up('run-outcomes');

async function statusOf(task: string): Promise<string> {
  const { status } = await stage.task(task);
  assert.ok(existsSync(join(stage.data.path, 'tasks', status, `${task}.md`)), `${task} lies in tasks/${status}/`);
  return status;
}

describe('what a run comes to', { concurrency: 3, skip: noBubblewrap }, () => {
  test('work that passes is a SUCCESS: one line, every field of the document, a receipt, a task that is done', async () => {
    const repository = stage.repository();
    const task = taskFor('reports-cost', repository.root, {
      task: { objective: 'COST 0.2', expected_outputs: [output('readme.md')] },
      phases: [
        {
          phase_id: 'P1',
          phase_order: 1,
          label: 'One',
          objective: 'x',
          checkpoints: [
            {
              checkpoint_id: 'C1',
              description: 'two',
              validation: { command: 'grep two readme.md', expects: 'MATCH_FOUND' },
            },
          ],
        },
      ],
    });
    const file = stage.write(task);
    const run = await stage.data.run(['run', file, '--json']);
    assert.equal(run.status, 0, run.stdout);
    assert.equal(run.stdout.trimEnd().split('\n').length, 1);
    const checked = await stage.data.run(['check', stage.write(run.stdout.trim()), '--as', 'aop', '--json']);
    assert.deepEqual(
      [checked.status, (JSON.parse(checked.stdout) as { warnings: unknown[] }).warnings],
      [0, []],
      checked.stdout,
    );
    const response = JSON.parse(run.stdout) as Record<string, Record<string, unknown>>;
    const fields = Object.entries(DOCUMENT).map(([name, inner]) => [name, Object.keys(inner)]);
    for (const [name, inner] of fields as [string, string[]][]) {
      assert.ok(name in response, name);
      for (const field of inner) assert.ok(response[name] && field in response[name], `${name}.${field}`);
    }
    const own = response.extensions?.x_baton as { task: string; receipt: string };
    assert.equal(await statusOf(own.task), 'done');
    const verified = await stage.data.run(['receipt', 'verify', own.receipt, '--json']);
    assert.equal(verified.status, 0, verified.stdout);
    assert.equal((response.cost_tracking as { actual_cost_usd: number }).actual_cost_usd, 0.2);
    assert.deepEqual(stage.data.readJson('runs', own.task, 'response.json'), response);
  });

  test('what lies in runs/ has the form of its protocol, and leads to the answer', async () => {
    const { root } = stage.repository();
    const expected_outputs = [output('a.txt')];
    const { own, response } = await stage.run(taskFor('completes', root, { task: { expected_outputs } }));
    const files = ['run.json', 'run_heartbeat.json', 'run_result.json'].map((name) => join('runs', own.task, name));
    const verdicts = await stage.data.run(['check', ...files.map((file) => join(stage.data.path, file)), '--json']);
    assert.equal(verdicts.status, 0, verdicts.stdout);
    const { summaryRef } = stage.data.readJson<{ summaryRef: string }>('runs', own.task, 'run_result.json');
    const answer = join(stage.data.path, 'tasks', 'done', own.task, summaryRef);
    assert.deepEqual(JSON.parse(readFileSync(answer, 'utf8')), response);
  });

  test('an agent that claims SUCCESS without having done the work has failed', async () => {
    const { root } = stage.repository();
    const task = taskFor('claims-success', root, { task: { expected_outputs: [output('missing.txt')] } });
    const { exit, code, response, own } = await stage.run(task);
    assert.deepEqual([exit, code, response.task_status.final_signal], [1, 'E_UNKNOWN', 'FAILURE']);
    assert.equal(own.agent_claim?.final_signal, 'SUCCESS');
    assert.equal(await statusOf(own.task), 'blocked');
  });

  test('an agent that says FAILURE has failed, although its work passes', async () => {
    const { root } = stage.repository();
    const task = taskFor('model-unavailable', root, { task: { expected_outputs: [output('readme.md')] } });
    const { exit, code, own } = await stage.run(task);
    assert.deepEqual([exit, code], [1, 'E_MODEL_UNAVAILABLE']);
    assert.equal(await statusOf(own.task), 'blocked');
  });

  test('an agent that says nothing is judged by its work, and Baton writes the answer', async () => {
    const { root } = stage.repository();
    const task = taskFor('says-nothing', root, { task: { expected_outputs: [output('readme.md')] } });
    const { exit, own } = await stage.run(task);
    assert.deepEqual([exit, own.written_by_baton], [0, true]);
  });

  test('an answer printed over many lines is an answer', async () => {
    const { root } = stage.repository();
    const task = taskFor('prints-pretty-response', root, { task: { expected_outputs: [output('readme.md')] } });
    const { exit, own } = await stage.run(task);
    assert.deepEqual([exit, own.written_by_baton], [0, false]);
  });

  test('PARTIAL_SUCCESS of the agent is one, exit 3, for a person to look at', async () => {
    const { root } = stage.repository();
    const task = taskFor('partial', root, { task: { expected_outputs: [output('readme.md')] } });
    const { exit, response, own } = await stage.run(task);
    assert.deepEqual([exit, response.task_status.final_signal, own.unchecked], [3, 'PARTIAL_SUCCESS', false]);
    assert.equal(await statusOf(own.task), 'review');
  });

  test('nothing to check it by is unchecked, exit 3, never SUCCESS', async () => {
    const { root } = stage.repository();
    const { exit, response, own } = await stage.run(taskFor('completes', root));
    assert.deepEqual([exit, response.task_status.final_signal, own.unchecked], [3, 'PARTIAL_SUCCESS', true]);
    assert.equal(await statusOf(own.task), 'review');
  });

  test('a check beside the TASK counts as its outputs do', async () => {
    const { root } = stage.repository();
    const passed = await stage.run(taskFor('completes', root), '--check', 'grep two readme.md');
    assert.equal(passed.exit, 0);
    const failed = await stage.run(taskFor('completes', root), '--check', 'grep four readme.md');
    assert.deepEqual([failed.exit, failed.code], [1, 'E_UNKNOWN']);
  });

  test('a check that passes only because the work changed it proves nothing, and it is told', async () => {
    const repository = stage.repository();
    repository.write('check.sh', 'grep -q right readme.md\n');
    repository.commit('a check');
    const task = { objective: 'echo true > check.sh' };
    const { exit, response } = await stage.run(
      taskFor('runs-a-script', repository.root, { task }),
      '--check',
      'sh check.sh',
    );
    assert.equal(exit, 3);
    const told = response.execution_summary?.warnings ?? [];
    assert.ok(
      told.includes('changed by the work that it checks: check.sh, which is run by sh check.sh'),
      told.join('\n'),
    );
  });

  test('a check that the work turned into a link to another project could not run, and shows nothing of it', async () => {
    const [repository, other] = [stage.repository(), stage.repository()];
    other.write('check.sh', '#!/bin/sh\necho of another project\n', 0o755);
    repository.write('check.sh', '#!/bin/sh\ntrue\n', 0o755);
    repository.commit('a check');
    const task = { objective: `ln -sf "${other.root}/check.sh" check.sh` };
    const ran = await stage.run(taskFor('runs-a-script', repository.root, { task }), '--check', './check.sh');
    assert.notEqual(ran.exit, 0, JSON.stringify(ran));
    assert.match(
      JSON.stringify(ran),
      /check.sh points outside of the workspace through a link that appeared during the run/,
    );
    assert.doesNotMatch(JSON.stringify(ran), /of another project/);
  });

  test('with --review also what passed waits for a person', async () => {
    const { root } = stage.repository();
    const task = taskFor('completes', root, { task: { expected_outputs: [output('a.txt')] } });
    const { exit, own } = await stage.run(task, '--review');
    assert.equal(exit, 0);
    assert.equal(await statusOf(own.task), 'review');
  });

  test('an ABORTED of the agent is one: exit 4', async () => {
    const { root } = stage.repository();
    const task = taskFor('demo', root, { task: { objective: '@demo respond ABORTED' } });
    const { exit, response, own } = await stage.run(task);
    assert.deepEqual([exit, response.task_status.final_signal], [4, 'ABORTED']);
    assert.equal(await statusOf(own.task), 'blocked');
  });

  test('the same order again is a new task once the first is over', async () => {
    const { root } = stage.repository();
    const task = taskFor('completes', root, { task: { expected_outputs: [output('a.txt')] } });
    const [first, second] = [await stage.run(task), await stage.run(task)];
    assert.deepEqual([first.exit, second.exit], [0, 0]);
    assert.notEqual(first.own.task, second.own.task);
  });

  test('plain words are an order too, and ask for their risks', async () => {
    const repository = stage.repository();
    const words = ['run', '@demo write a.txt hi', '--agent', 'demo', '--check', 'grep hi a.txt', '--json'];
    const run = await stage.data.run(words, { folder: repository.root });
    assert.equal(run.status, 0, run.stdout + run.stderr);
    assert.equal(repository.read('a.txt'), 'hi\n');
    const dirty = await stage.data.run(words, { folder: repository.root });
    assert.equal(dirty.status, 2);
    assert.equal((JSON.parse(dirty.stdout) as { code: string }).code, 'needs_answer');
    const again = await stage.data.run([...words, '--yes'], { folder: repository.root });
    assert.equal(again.status, 3, 'nothing changed, and the check passed before');
  });

  test('a file that is not there is exit 2, and words of the command line that are wrong', async () => {
    for (const args of [
      ['run', '/nowhere/task.json'],
      ['run', 'x', '--timeout', 'soon'],
      ['run', ''],
    ]) {
      const run = await stage.data.run([...args, '--json'], { folder: stage.folder });
      assert.equal(run.status, 2);
      assert.equal((JSON.parse(run.stdout) as { verdict: string }).verdict, 'refused');
    }
  });
});

/** The fields of the document's own RESPONSE. */
const DOCUMENT = {
  aop_version: '',
  schema_version: '',
  protocol_family: '',
  message_type: '',
  session_id: '',
  task_id: '',
  agent: { name: 0, provider: 0, model: 0 },
  task_status: { state: 0, final_signal: 0, message: 0 },
  execution_summary: { summary: 0, actions: 0, output_artifacts: 0, warnings: 0, errors: 0 },
  checkpoint_results: {},
  error_details: {},
  timing: { started_at: 0, completed_at: 0, duration_seconds: 0, retries_attempted: 0 },
  cost_tracking: {
    estimated_cost_usd: 0,
    actual_cost_usd: 0,
    tokens_input: 0,
    tokens_output: 0,
    model_pricing_tier: 0,
  },
  progress_log: { last_progress_event_at: 0, progress_percentage: 0 },
  extensions: {},
} as const;
