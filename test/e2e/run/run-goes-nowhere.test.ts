import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TaskDetail } from '../../../src/api/contract.ts';
import { RunStage, taskFor } from '../../support/run-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';
import { TestRepository } from '../../support/test-repository.ts';

const stage = await RunStage.alone('run-goes-nowhere');

test('an agent that fails five turns in a row is ended, its files stay, and its task waits for a person', {
  skip: noBubblewrap,
  timeout: 120_000,
}, async () => {
  const { root } = new TestRepository();
  const { own } = await stage.run(taskFor('fails-in-turns', root));
  const task = await stage.data.json<TaskDetail>('task', 'show', own.task);
  assert.deepEqual([task.status, task.reason, task.runId], ['blocked', '5 turns in a row failed', null]);
  assert.equal(readFileSync(join(root, 'left.txt'), 'utf8'), 'half of it');
  const events = await stage.data.run(['events', '--task', own.task, '--type', 'trace.entropy_detected']);
  assert.match(events.stdout, /5 turns in a row failed; it waits for a person/);
});

test('an agent that repeats itself and then ends is not said to have missed words of a person', {
  skip: noBubblewrap,
  timeout: 120_000,
}, async () => {
  const { root } = new TestRepository();
  const { own, ...run } = await stage.run(taskFor('repeats-itself', root));
  const said = await stage.data.run(['events', '--task', own.task, '--type', 'words.said', '--json']);
  assert.match(said.stdout, /another approach/);
  assert.doesNotMatch(JSON.stringify(run), /could be told/);
});

test('what follows from it is a setting: told of it, a run goes on', {
  skip: noBubblewrap,
  timeout: 120_000,
}, async () => {
  stage.configure({ entropy: { failures: 'notify' } });
  const { root } = new TestRepository();
  const { own } = await stage.run(taskFor('fails-in-turns', root, { guard_rails: { timeout_seconds: 8 } }));
  const task = await stage.data.json<TaskDetail>('task', 'show', own.task);
  assert.notEqual(task.reason, '5 turns in a row failed');
  const events = await stage.data.run(['events', '--task', own.task, '--type', 'trace.entropy_detected']);
  assert.match(events.stdout, /5 turns in a row failed; you are told/);
  const refused = await stage.data.run(['config', 'set', 'entropy.failures', 'explode']);
  assert.deepEqual([refused.status, /notify, pivot, escalate, pause/.test(refused.stderr)], [2, true]);
});
