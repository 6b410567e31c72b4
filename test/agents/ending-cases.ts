import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { test } from 'node:test';
import { CliStage, type StartedBaton } from '../support/agent/cli-stage.ts';
import type { VendorCli } from '../support/agent/vendor-cli.ts';
import { orderRun, until } from '../support/run-stage.ts';
import type { ModelStep } from '../support/scripted-model/model-step.ts';

const WAITS: readonly ModelStep[] = [{ do: 'shell', command: 'sh ./work.sh' }];
/** The program goes on behind the agent's back, and the model never answers again, whatever it is asked. */
const LEAVES_BEHIND: readonly ModelStep[] = [
  // Qwen Code ends what a command leaves behind at once: the program has begun before.
  { do: 'shell', command: 'sh ./work.sh > /dev/null 2>&1 & sleep 0.3; echo begun' },
  { do: 'hang', times: 99 },
];
const NOTHING_LEFT = { processes: [], temporary: [], home: [] };

async function stageFor(vendor: VendorCli, steps: readonly ModelStep[]): Promise<CliStage> {
  const stage = await CliStage.begin([vendor]);
  stage.repository.write('work.sh', 'while :; do echo x >> work.log; sleep 0.05; done\n');
  stage.repository.commit('work');
  stage.model.follow(steps);
  return stage;
}

/** Four programs wait for each core: seconds of the clock say nothing about Baton. */
function isOverloaded(): boolean {
  return (loadavg()[0] ?? 0) > 4 * availableParallelism();
}

interface AtWork {
  readonly stage: CliStage;
  readonly run: StartedBaton;
}

/** A run whose agent has started a program that does not end by itself. */
async function atWork(vendor: VendorCli, steps: readonly ModelStep[], ...flags: string[]): Promise<AtWork> {
  const stage = await stageFor(vendor, steps);
  const run = stage.startRun('--check', 'test -f out.txt', ...flags);
  await until(() => existsSync(stage.path('work.log')) || run.child.exitCode !== null);
  assert.equal(run.child.exitCode, null, run.stdout + run.stderr);
  return { stage, run };
}

async function assertAllEnded(stage: CliStage): Promise<void> {
  assert.deepEqual(stage.left(), NOTHING_LEFT);
  const size = () => statSync(stage.path('work.log'), { throwIfNoEntry: false })?.size ?? 0;
  const before = size();
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.equal(size(), before, 'the program of the agent still works');
}

export function stopCase(vendor: VendorCli): void {
  test('stop ends the agent and the program that it started, and nothing is left', async () => {
    const { stage, run } = await atWork(vendor, WAITS);
    const stop = await stage.baton('stop', '1', '--json');
    const { exit, code } = orderRun(await run.ended);
    assert.deepEqual([exit, code], [130, null]);
    if (!isOverloaded()) assert.equal(stop.status, 0, stop.stdout + stop.stderr);
    else assert.ok(stop.status === 0 || JSON.parse(stop.stdout).isStopped === false, stop.stdout + stop.stderr);
    await assertAllEnded(stage);
  });
}

/** The ways in which a run ends before its agent is done. */
export function endingCases(vendor: VendorCli): void {
  test('Ctrl-C ends the agent and the program that it started, and nothing is left', async () => {
    const { stage, run } = await atWork(vendor, WAITS);
    run.child.kill('SIGINT');
    const { status } = await run.ended;
    assert.equal(status, 130, run.stdout + run.stderr);
    await assertAllEnded(stage);
  });

  test('a run that takes too long is ended with E_TIMEOUT, and nothing is left', async () => {
    const stage = await stageFor(vendor, LEAVES_BEHIND);
    const { exit, code } = await stage.run('--check', 'test -f out.txt', '--timeout', '20', '--retries', '0');
    assert.deepEqual([exit, code], [1, 'E_TIMEOUT']);
    // The time counts from the launch: on an overloaded machine the agent is ended before its program began.
    assert.ok(existsSync(stage.path('work.log')) || isOverloaded(), 'the agent did not begin its work');
    await assertAllEnded(stage);
  });

  test('an agent that is killed by -9 is an E_PROCESS_CRASH, and nothing is left', async () => {
    const { stage, run } = await atWork(vendor, WAITS, '--retries', '0');
    // The oldest process of the program itself; the sandbox around it has its own name.
    for (const pid of stage.programs(vendor.name)) process.kill(pid, 'SIGKILL');
    const { exit, code } = orderRun(await run.ended);
    assert.deepEqual([exit, code], [1, 'E_PROCESS_CRASH']);
    await assertAllEnded(stage);
  });

  test('when Baton is killed by -9 its agent ends too, and the task can be run again', async () => {
    const { stage, run } = await atWork(vendor, WAITS);
    run.child.kill('SIGKILL');
    await run.ended;
    await until(() => stage.processes().length === 0);
    stage.model.follow([{ do: 'write', path: stage.path('out.txt'), content: 'hello' }]);
    const again = await stage.baton('run', '1', '--yes', '--json');
    assert.equal(again.status, 0, again.stdout + again.stderr);
    assert.deepEqual(stage.left(), NOTHING_LEFT);
  });
}
