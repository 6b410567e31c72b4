import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { BATON, ROOT } from '../../support/run-baton.ts';
import { output, processesOf, RunStage, taskFor, until } from '../../support/run-stage.ts';
import { taken } from '../../support/taken.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const stage = await RunStage.up('run-output');
const there = { task: { expected_outputs: [output('readme.md')] } };
const brief = { ...there, guard_rails: { timeout_seconds: 1 } };

/** Whatever an agent prints, or does not: its order has an end and an answer, and nothing of it is left. */
const ENDS: readonly (readonly [agent: string, exit: number, code: string | null, changes?: object])[] = [
  ['prints-bytes', 0, null],
  ['half-utf8', 0, null],
  ['speaks-garbage', 0, null],
  ['answers-and-prints-on', 0, null],
  ['closes-stdin', 0, null],
  ['closes-its-output', 1, 'E_TIMEOUT', brief],
];

describe('what an agent prints', { concurrency: 2, skip: noBubblewrap }, () => {
  for (const [agent, exit, code, changes = there] of ENDS) {
    test(`${agent}: exit ${exit}, ${code ?? 'no error'}, and nothing of it is left`, async () => {
      const task = taskFor(agent, stage.repository().root, changes);
      const run = await stage.run(task);
      assert.deepEqual([run.exit, run.code], [exit, code], run.stdout);
      assert.deepEqual(processesOf(task), []);
    });
  }

  test('tool calls that it reports are events of its run', async () => {
    const run = await stage.run(taskFor('calls-tools', stage.repository().root, there));
    assert.equal(run.exit, 0, run.stdout);
    const { events } = taken(await stage.daemon?.client.listEvents({ after: 0, task: run.own.task }));
    const tools = events.filter(({ type }) => type.startsWith('run.tool_'));
    const input = '{"path":"README.md"}';
    assert.deepEqual(
      tools.map(({ type, actor, payload }) => ({ type, actor, ...payload })),
      [
        { type: 'run.tool_started', call: 'c1', tool: 'read_file', input },
        { type: 'run.tool_ended', call: 'c1', tool: 'read_file', isSuccess: true, result: 'success' },
        { type: 'run.tool_started', call: 'c2', tool: 'run_tests', input },
        { type: 'run.tool_ended', call: 'c2', tool: 'run_tests', isSuccess: false, result: 'failure' },
      ].map((each) => ({ actor: 'calls-tools', run: run.own.run, ...each })),
    );
    const shown = await stage.data.run(['events', '--task', run.own.task]);
    assert.match(shown.stdout, /calls-tools\s+called run_tests: \{"path":"README.md"\}/);
  });

  test('is read by nobody any more: the work goes on, and the exit code is its own', async () => {
    const alone = await RunStage.alone('run-unread');
    const repository = alone.repository();
    const expected_outputs = [output('a.txt')];
    const file = alone.write(taskFor('works-until-told', repository.root, { task: { expected_outputs } }));
    const child = spawn(BATON, ['run', file, '--data', alone.data.path], { stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = once(child, 'exit');
    await once(child.stdout, 'data');
    child.stdout.destroy();
    child.stderr.destroy();
    await until(() => 'work.pids' in repository.files());
    repository.write('go', '');
    assert.deepEqual(await ended, [0, null]);
    assert.equal((await alone.task('1')).status, 'done');
  });

  test('is shown page by page: 64 MB of it fit into a node with a heap of 48 MB', async () => {
    const alone = await RunStage.alone('run-flood');
    const file = alone.write(taskFor('floods-output', alone.repository().root, there));
    // Without a bound V8 collects garbage late where the machine has much memory; what is held at once would end this heap.
    const heap = '--max-old-space-size=48 --max-semi-space-size=8';
    const preloaded = ['report-peak-memory', 'collect-in-one-stop'].map(
      (name) => `--import=file://${ROOT}/test/fixtures/${name}.mjs`,
    );
    const environment = { NODE_OPTIONS: [heap, ...preloaded].join(' ') };
    const run = await alone.data.run(['run', file], { environment });
    assert.equal(run.status, 0, run.stderr);
    const shown = run.stdout.split('\n').filter((line) => line.includes('│ y'));
    assert.ok(shown.length === 320_000 && new Set(shown).size === 1, `${shown.length}, ${new Set(shown).size}`);
    const peakMib = Number(run.extra.trim().split('\n').at(-1)) / 1_024;
    assert.ok(peakMib > 0 && peakMib < 256, `${peakMib} MiB`);
  });
});
