import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type OrderRun, output, RunStage, taskFor } from '../../support/run-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const stage = await RunStage.up('run-checkpoints');

const PASSES = { command: 'grep -n two readme.md', expects: 'MATCH_FOUND' };
const FAILS = { command: 'grep -n four readme.md', expects: 'MATCH_FOUND' };

function checkpoint(checkpoint_id: string, validation: object, recovery_strategy?: string): Record<string, unknown> {
  return { checkpoint_id, description: checkpoint_id, validation, ...(recovery_strategy && { recovery_strategy }) };
}

function phase(phase_order: number, checkpoints: readonly object[], objective = 'x'): Record<string, unknown> {
  return { phase_id: `P${phase_order}`, phase_order, label: `Phase ${phase_order}`, objective, checkpoints };
}

const there = { expected_outputs: [output('readme.md')] };

async function run(checkpoints: readonly object[]): Promise<OrderRun> {
  const { root } = stage.repository();
  return await stage.run(taskFor('claims-success', root, { task: there, phases: [phase(1, checkpoints)] }));
}

function results({ response }: OrderRun): string[] {
  return (response.checkpoint_results ?? []).map(({ checkpoint_id, status }) => `${checkpoint_id} ${status}`);
}

describe('checkpoints', { concurrency: 3, skip: noBubblewrap }, () => {
  test('those that pass are a SUCCESS, with what was seen as evidence', async () => {
    const done = await run([checkpoint('A', PASSES, 'ABORT')]);
    assert.deepEqual([done.exit, results(done)], [0, ['A PASS']]);
    const [result] = done.response.checkpoint_results ?? [];
    assert.match(JSON.stringify(result?.evidence), /grep -n two readme\.md.*exit 0/);
    assert.match(result?.validation_output ?? '', /two/);
  });

  test('ABORT ends as ABORTED: exit 4', async () => {
    const done = await run([checkpoint('A', FAILS, 'ABORT'), checkpoint('B', PASSES)]);
    assert.deepEqual([done.exit, done.response.task_status.final_signal], [4, 'ABORTED']);
    assert.equal(results(done)[0], 'A FAIL');
  });

  test('without a strategy it is ABORT', async () => {
    const done = await run([checkpoint('A', FAILS)]);
    assert.deepEqual([done.exit, done.response.task_status.state], [4, 'ABORTED']);
  });

  for (const [strategy, status] of [
    ['CONTINUE', 'FAIL'],
    ['SKIP', 'SKIP'],
  ] as const) {
    test(`${strategy} goes on, and it is done in part: exit 3`, async () => {
      const done = await run([checkpoint('A', FAILS, strategy), checkpoint('B', PASSES, 'ABORT')]);
      assert.deepEqual([done.exit, done.response.task_status.final_signal], [3, 'PARTIAL_SUCCESS']);
      assert.deepEqual(results(done), [`A ${status}`, 'B PASS']);
    });
  }

  test('RETRY tries again once, also without max_retries, and shows what failed', async () => {
    const { root } = stage.repository();
    const right = { command: 'grep right a.txt', expects: 'MATCH_FOUND' };
    const phases = [phase(1, [checkpoint('A', right, 'RETRY')], '@demo wrong 1\n@demo write a.txt right')];
    const done = await stage.run(taskFor('demo', root, { phases }));
    assert.deepEqual([done.exit, done.response.timing?.retries_attempted, results(done)], [0, 1, ['A PASS']]);
  });

  test('RETRY that never passes fails in the end, within max_retries', async () => {
    const { root } = stage.repository();
    const phases = [phase(1, [checkpoint('A', FAILS, 'RETRY')])];
    const policy = { execution_policy: { max_retries: 2, retry_backoff_seconds: [0] } };
    const done = await stage.run(taskFor('claims-success', root, { task: there, phases, ...policy }));
    assert.deepEqual([done.exit, done.code, done.response.timing?.retries_attempted], [1, 'E_UNKNOWN', 2]);
  });

  test('phases are verified by phase_order, not by their place: the first to abort is the reason', async () => {
    const { root } = stage.repository();
    const phases = [
      phase(3, [checkpoint('LATE', FAILS, 'RETRY')]),
      phase(1, [checkpoint('EARLY', FAILS, 'CONTINUE')]),
      phase(2, [checkpoint('MIDDLE', FAILS, 'ABORT')]),
    ];
    const done = await stage.run(taskFor('claims-success', root, { task: there, phases }));
    assert.equal(done.exit, 4);
    assert.match(done.response.task_status.message ?? '', /MIDDLE/);
    assert.deepEqual(
      results(done).map((result) => result.split(' ')[0]),
      ['EARLY', 'MIDDLE', 'LATE'],
    );
  });

  test('two of one id are two: each is judged by its own validation and strategy', async () => {
    const { root } = stage.repository();
    const phases = [phase(1, [checkpoint('A', FAILS, 'CONTINUE')]), phase(2, [checkpoint('A', PASSES, 'ABORT')])];
    const done = await stage.run(taskFor('claims-success', root, { task: there, phases }));
    assert.deepEqual([done.exit, results(done)], [3, ['A FAIL', 'A PASS']]);
  });

  test('an artifact that is not there fails its checkpoint', async () => {
    const artifact = {
      ...checkpoint('A', PASSES, 'ABORT'),
      expected_artifacts: [{ type: 'FILE', path: 'nowhere.txt' }],
    };
    assert.equal((await run([artifact])).exit, 4);
  });
});

/** Each of the four, as it passes and as it does not. */
const EXPECTS = [
  ['EXIT_CODE_0', 'true', 0],
  ['EXIT_CODE_0', 'false', 1],
  ['EXIT_CODE_0', 'no-such-program', 1],
  ['MATCH_FOUND', 'grep two readme.md', 0],
  ['MATCH_FOUND', 'grep -q two readme.md', 0],
  ['MATCH_FOUND', 'grep four readme.md', 1],
  ['MATCH_FOUND', 'true', 1],
  ['NO_MATCH', 'grep four readme.md', 0],
  ['NO_MATCH', 'grep two readme.md', 1],
  ['NO_MATCH', 'grep four nowhere.md', 1],
  ['FILE_EXISTS', 'readme.md', 0],
  ['FILE_EXISTS', 'nowhere.md', 1],
] as const;

describe('expects', { concurrency: 3, skip: noBubblewrap }, () => {
  for (const [at, wanted] of [0, 1].entries()) {
    test(`what is to ${wanted === 0 ? 'pass passes, all of it' : 'fail fails, each by itself'}`, async () => {
      const { root } = stage.repository();
      const validations = EXPECTS.filter(([, , exit]) => exit === wanted).map(([expects, command]) => ({
        command,
        expects,
      }));
      const checkpoints = validations.map((validation, place) => checkpoint(`C${place}`, validation, 'CONTINUE'));
      const done = await stage.run(taskFor('claims-success', root, { task: there, phases: [phase(1, checkpoints)] }));
      const status = at === 0 ? 'PASS' : 'FAIL';
      assert.deepEqual(
        results(done),
        validations.map((_, place) => `C${place} ${status}`),
        JSON.stringify(done.response.checkpoint_results),
      );
    });
  }

  test('FILE_EXISTS of an output is about its own path', async () => {
    const { root } = stage.repository();
    const validation = { command: 'whatever', expects: 'FILE_EXISTS' };
    const done = await stage.run(
      taskFor('completes', root, { task: { expected_outputs: [output('a.txt', { validation })] } }),
    );
    assert.equal(done.exit, 0, JSON.stringify(done.response.error_details));
  });
});
