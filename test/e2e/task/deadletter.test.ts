import assert from 'node:assert/strict';
import { chmodSync, copyFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { EventView } from '../../../src/api/contract.ts';
import { linesOf, ROOT } from '../../support/run-baton.ts';
import { RunStage, taskFor, until } from '../../support/run-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';

/** A stage with an agent `own` whose program is a file of this test. */
async function stageWith(name: string) {
  const stage = await RunStage.up(name);
  const program = join(stage.folder, 'own-agent');
  const agent = { driver: 'process', command: [program], provider: 'OTHER', model: 'own' };
  stage.configure({ agents: { own: agent } });
  return { stage, program };
}

function install(program: string): void {
  const agent = join(ROOT, 'test/fixtures/agents');
  copyFileSync(join(agent, 'wire.mjs'), join(program, '../wire.mjs'));
  copyFileSync(join(agent, 'completes.mjs'), join(program, '../completes.mjs'));
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${join(program, '../completes.mjs')}'\n`);
  chmodSync(program, 0o755);
}

const statusOf = async (stage: RunStage, id: string) => (await stage.task(id)).status;

describe('a task whose program is missing', { skip: noBubblewrap }, () => {
  test('goes to deadletter at once, by hand; its folder, events and status say so; retry starts it when it is there', async () => {
    const { stage, program } = await stageWith('deadletter');
    const { id } = await stage.data.newTask('Build it');
    const { id: next } = await stage.data.newTask('After it', '--agent', 'own', '--depends-on', id);
    await stage.data.json('task', 'edit', id, '--agent', 'own');
    await until(async () => (await statusOf(stage, id)) === 'deadletter');
    await until(() => stage.data.has('tasks', 'deadletter', `${id}.md`));
    const moves = (await stage.data.eventsOf(id)).filter(({ type }) => type === 'task.transitioned');
    const { actor, payload } = moves.at(-1) as EventView;
    assert.deepEqual([actor, payload.from, payload.to], ['dispatcher', 'ready', 'deadletter']);
    assert.match(String(payload.reason), /^E_AGENT_NOT_FOUND: own is set up, but not ready/);
    const status = await stage.data.run(['status']);
    assert.match(status.stdout, new RegExp(`Needs you[^]*${id} +deadletter +Build it · own\\n.*E_AGENT_NOT_FOUND`));
    assert.equal(await statusOf(stage, next), 'blocked');
    install(program);
    // The settings are read again within a moment: installing a program changes no file of theirs.
    await until(async () => {
      if ((await statusOf(stage, id)) === 'deadletter') await stage.data.run(['task', 'retry', id]);
      return ['review', 'done'].includes(await statusOf(stage, id));
    });
    await until(() => !stage.data.has('tasks', 'deadletter', `${id}.md`));
  });

  test('goes there when its program vanishes after the order was accepted, without a retry', async () => {
    const { stage, program } = await stageWith('deadletter-gone');
    install(program);
    const { root } = stage.repository();
    // The one slot of all is taken, so that the order waits while its program goes.
    stage.configure({
      runs: { at_once: 1 },
      agents: { own: { driver: 'process', command: [program], provider: 'OTHER', model: 'own' } },
    });
    const first = stage.repository();
    const busy = stage.start(taskFor('works-until-told', first.root));
    await until(async () => (await stage.data.json<{ running: readonly object[] }>('status')).running.length === 1);
    const task = taskFor('own', root, { execution_policy: { max_retries: 2, retry_backoff_seconds: [1] } });
    const waiting = stage.start(task);
    await until(async () => (await stage.data.json<{ waiting: readonly object[] }>('status')).waiting.length === 1);
    renameSync(program, `${program}.away`);
    first.write('go', '');
    await busy.answered();
    const { exit, code, response, own } = await waiting.answered();
    assert.deepEqual([exit, code, response.timing?.retries_attempted], [1, 'E_AGENT_NOT_FOUND', 0]);
    assert.equal(await statusOf(stage, own.task), 'deadletter');
    const list = linesOf<{ status: string }>(
      await stage.data.run(['task', 'list', '--status', 'deadletter', '--json']),
    );
    assert.equal(list.length, 1);
  });

  test('goes there without the interpreter of its script; a task of an agent that nobody configured waits for a claim', async () => {
    const { stage, program } = await stageWith('deadletter-not');
    writeFileSync(program, '#!/no/such/interpreter\n', { mode: 0o755 });
    const { id } = await stage.data.newTask('Wait', '--agent', 'nobody');
    const { id: other } = await stage.data.newTask('Give up', '--agent', 'own');
    await until(async () => (await statusOf(stage, other)) === 'deadletter');
    const { reason } = await stage.data.json<{ reason: string }>('task', 'show', other);
    assert.match(reason, /^E_AGENT_NOT_FOUND: .*its interpreter \/no\/such\/interpreter was not found/);
    assert.equal(await statusOf(stage, id), 'ready');
  });
});
