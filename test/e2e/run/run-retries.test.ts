import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type OrderRun, orderRun, output, RunStage, type TaskChanges, taskFor } from '../../support/run-stage.ts';
import { taken } from '../../support/taken.ts';
import { noBubblewrap } from '../../support/test-process.ts';

// The rules are those of src/domain/decisions/choose-fallback.test.ts; here they meet real processes.
const stage = await RunStage.up('run-retries');
const missing = { expected_outputs: [output('missing.txt')] };
const there = { expected_outputs: [output('readme.md')] };
const by = (model: string, fallback_trigger: string) => ({ provider: 'OTHER', model, fallback_trigger });
const retried = (max_retries: number, more: object = {}): TaskChanges => ({
  execution_policy: { max_retries, retry_backoff_seconds: [0], ...more },
});

interface ToldAttempt {
  readonly agent: string | null;
  readonly error_code: string | null;
}

/** The agent and the end of each attempt. */
function attemptsOf(details: OrderRun['response']['error_details']): string[] {
  return ((details?.attempts ?? []) as unknown as readonly ToldAttempt[]).map(
    ({ agent, error_code }) => `${agent} ${error_code}`,
  );
}

describe('trying again', { concurrency: 3, skip: noBubblewrap }, () => {
  test('max_retries attempts follow the first, and no more, after the waits of retry_backoff_seconds', async () => {
    const { root } = stage.repository();
    const policy = { max_retries: 2, retry_backoff_seconds: [0, 1] };
    const { exit, code, response, own } = await stage.run(
      taskFor('crashes', root, { task: there, execution_policy: policy }),
    );
    assert.deepEqual([exit, code, response.timing?.retries_attempted], [1, 'E_PROCESS_CRASH', 2]);
    assert.equal(response.error_details?.attempts?.length, 3);
    const { events } = taken(await stage.daemon?.client.listEvents({ after: 0, task: own.task }));
    const starts = events.filter(({ type }) => type === 'run.launched').map(({ timestamp }) => Date.parse(timestamp));
    assert.equal(starts.length, 3, events.map(({ type }) => type).join());
    assert.ok((starts[2] ?? 0) - (starts[1] ?? 0) >= 1_000, starts.join());
  });

  test('a retry that succeeds is a SUCCESS, and cost and retries are told over all of them', async () => {
    const { root } = stage.repository();
    const task = taskFor('fails-twice', root, { task: { expected_outputs: [output('a.txt')] }, ...retried(2) });
    const { exit, response, own } = await stage.run(task);
    assert.deepEqual([exit, response.timing?.retries_attempted], [0, 2]);
    const shown = await stage.daemon?.client.showTask({ task: own.task });
    assert.ok(shown && !('kind' in shown));
    assert.deepEqual([shown.status, shown.runs.length], ['done', 3]);
    assert.ok(shown.runs.every(({ fence }, at) => at === 0 || fence > (shown.runs[at - 1]?.fence ?? 0)));
  });

  test('a later attempt is shown what failed, with its output, what passed, and what changed', async () => {
    const repository = stage.repository();
    const validation = { command: 'grep -n four readme.md', expects: 'MATCH_FOUND' };
    const loud = { command: 'cat nowhere.txt', expects: 'EXIT_CODE_0' };
    const expected_outputs = [
      output('readme.md', { validation }),
      output('got-1.json'),
      output('b', { type: 'TEXT', validation: loud }),
    ];
    await stage.run(taskFor('keeps-its-task', repository.root, { task: { expected_outputs }, ...retried(1) }));
    const first = JSON.parse(repository.read('got-1.json')) as Got;
    assert.equal(first.task.extensions, undefined);
    const { attempt, extensions } = (JSON.parse(repository.read('got-2.json')) as Got).task;
    assert.equal(attempt, 2);
    const { x_baton: told } = extensions ?? {};
    assert.equal(told?.attempt, 2);
    assert.deepEqual(told?.passed, ['got-1.json']);
    assert.deepEqual(told?.files_changed, [{ path: 'got-1.json', status: 'CREATED' }]);
    assert.deepEqual(
      told?.failed.map(({ command, exit_code }) => [command, exit_code]),
      [
        [validation.command, 1],
        [loud.command, 1],
      ],
    );
    assert.match(told?.failed[1]?.output ?? '', /nowhere\.txt/);
  });

  test('a budget is counted over all attempts, and what is over it is not tried again', async () => {
    const { root } = stage.repository();
    const task = { ...missing, budgets: { max_cost_usd: 0.25 } };
    const { code, response } = await stage.run(taskFor('keeps-its-task', root, { task, ...retried(5) }));
    assert.deepEqual([code, response.timing?.retries_attempted], ['E_COST_LIMIT_EXCEEDED', 2]);
    assert.equal(response.cost_tracking?.actual_cost_usd, 0.3);
    assert.equal(response.cost_tracking?.tokens_input, 30);
  });
});

describe('words', { concurrency: 3, skip: noBubblewrap }, () => {
  const CHECK = ['--check', 'cat nowhere.txt'];
  const words = async (root: string, ...flags: string[]) =>
    orderRun(await stage.data.run(['run', 'do it', '--workspace', root, '--json', '--events', ...flags]));

  test('one more attempt follows a failed check, and is shown the end of its output', async () => {
    const repository = stage.repository();
    const { exit, response } = await words(repository.root, '--agent', 'keeps-its-task', ...CHECK);
    assert.deepEqual([exit, response.timing?.retries_attempted], [1, 1]);
    const { x_baton: told } = (JSON.parse(repository.read('got-2.json')) as Got).task.extensions ?? {};
    assert.equal(told?.failed[0]?.command, 'cat nowhere.txt');
    assert.match(told?.failed[0]?.output ?? '', /nowhere\.txt/);
  });

  test('--retries counts for a TASK too, and wins over its max_retries', async () => {
    const { root } = stage.repository();
    const { response } = await stage.run(taskFor('crashes', root, { task: there, ...retried(3) }), '--retries', '1');
    assert.equal(response.timing?.retries_attempted, 1);
  });

  test('the plan says how often it is tried', async () => {
    const { root } = stage.repository();
    const plan = async (...flags: string[]) =>
      await stage.data.run(['run', 'do it', '--workspace', root, '--agent', 'demo', '--dry-run', ...CHECK, ...flags]);
    assert.match((await plan()).stdout, /; 1 retry, at most 30 min each, /);
    assert.match((await plan('--retries', '0')).stdout, /; no retry, at most 30 min, /);
    assert.equal(JSON.parse((await plan('--retries', '3', '--json')).stdout).retries, 3);
  });
});

describe('another model', { concurrency: 3, skip: noBubblewrap }, () => {
  test('a trigger fires at once, although retries are left', async () => {
    const { root } = stage.repository();
    const policy = retried(3, { alternative_models: [by('claims-success', 'CRITICAL_ERROR')] });
    const { exit, response } = await stage.run(taskFor('crashes', root, { task: there, ...policy }));
    assert.deepEqual([response.agent.name, response.timing?.retries_attempted], ['claims-success', 1]);
    assert.equal(exit, 0, JSON.stringify(response.error_details));
  });

  test('an alternative has what is left of the budget, and no more', async () => {
    const { root } = stage.repository();
    const task = { ...there, budgets: { max_cost_usd: 0.2 } };
    const policy = retried(0, { alternative_models: [by('reports-cost', 'FIRST_ERROR')] });
    const { code, response } = await stage.run(
      taskFor('keeps-its-task', root, { ...policy, task: { ...task, ...missing, objective: 'COST 0.11' } }),
    );
    assert.equal(code, 'E_ALL_MODELS_EXHAUSTED');
    assert.deepEqual(attemptsOf(response.error_details), [
      'keeps-its-task E_UNKNOWN',
      'reports-cost E_COST_LIMIT_EXCEEDED',
    ]);
  });

  test('alternatives are tried in order, each once; after the last E_ALL_MODELS_EXHAUSTED tells them all', async () => {
    const { root } = stage.repository();
    const alternative_models = [
      by('wrong-ids', 'ALL_ERRORS'),
      by('nobody-has-this', 'FIRST_ERROR'),
      by('model-unavailable', 'CRITICAL_ERROR'),
      by('claims-success', 'TIMEOUT'),
    ];
    const { exit, code, response } = await stage.run(
      taskFor('crashes', root, { task: there, ...retried(0, { alternative_models }) }),
    );
    assert.deepEqual([exit, code], [1, 'E_ALL_MODELS_EXHAUSTED']);
    assert.deepEqual(attemptsOf(response.error_details), [
      'crashes E_PROCESS_CRASH',
      'wrong-ids E_MALFORMED_RESPONSE',
      'null E_AGENT_NOT_FOUND',
      'model-unavailable E_MODEL_UNAVAILABLE',
    ]);
  });

  test('a target that nobody answers to goes to the alternative that can', async () => {
    const { root } = stage.repository();
    const policy = retried(0, { alternative_models: [by('claims-success', 'CRITICAL_ERROR')] });
    const { exit, response } = await stage.run(taskFor('nobody', root, { task: there, ...policy }));
    assert.deepEqual([exit, response.agent.name], [0, 'claims-success'], JSON.stringify(response.error_details));
  });
});

interface Got {
  readonly task: {
    readonly attempt?: number;
    readonly extensions?: {
      readonly x_baton?: {
        readonly attempt: number;
        readonly failed: readonly { readonly command: string; readonly exit_code: number; readonly output?: string }[];
        readonly passed: readonly string[];
        readonly files_changed: readonly object[];
      };
    };
  };
}
