import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { output, processesOf, RunStage, taskFor, until } from '../../support/run-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const made = { task: { expected_outputs: [output('a.txt')] } };
const PAUSE_MS = 4_000;

/** The node stands still for a while, as on a machine that does too much. */
async function paused(stage: RunStage, meanwhile: () => void): Promise<void> {
  stage.daemon?.child.kill('SIGSTOP');
  meanwhile();
  await sleep(PAUSE_MS);
  stage.daemon?.child.kill('SIGCONT');
}

describe('a node that stands still for longer than it would wait', { concurrency: 3, skip: noBubblewrap }, () => {
  test('takes an agent that ended in its time for one that did', async () => {
    const stage = await RunStage.up('paused-timeout');
    const repository = stage.repository();
    const run = stage.start(
      taskFor('works-until-told', repository.root, { ...made, guard_rails: { timeout_seconds: 3 } }),
    );
    await until(() => 'work.pids' in repository.files());
    await paused(stage, () => repository.write('go', ''));
    const { exit, code } = await run.answered();
    assert.deepEqual([exit, code], [0, null]);
  });

  test('does not take an agent for silent that it did not listen to', async () => {
    const stage = await RunStage.up('paused-beats');
    const repository = stage.repository();
    const heartbeat = { enabled: true, interval_seconds: 1, max_missed_beats: 2, on_heartbeat_failure: 'ABORT' };
    const task = taskFor('beats-until-told', repository.root, { ...made, execution_policy: { heartbeat } });
    const run = stage.start(task);
    await until(() => 'work.pids' in repository.files());
    const beats = () => readFileSync(join(repository.root, 'beats'), 'utf8').length;
    await paused(stage, () => {});
    // The node listens again: longer than the silence that it would take for the agent's.
    const before = beats();
    await until(() => beats() >= before + 10);
    repository.write('go', '');
    const { exit, code } = await run.answered();
    assert.deepEqual([exit, code], [0, null]);
  });

  test('ends an agent that is over its time as soon as it goes on', async () => {
    const stage = await RunStage.up('paused-late');
    const repository = stage.repository();
    const task = taskFor('works-until-told', repository.root, { ...made, guard_rails: { timeout_seconds: 3 } });
    const run = stage.start(task);
    await until(() => 'work.pids' in repository.files());
    await paused(stage, () => {});
    const { exit, code } = await run.answered();
    assert.deepEqual([exit, code], [1, 'E_TIMEOUT']);
    assert.deepEqual(processesOf(task), []);
  });
});
