import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { isRefusal, type Refusal } from '../../../src/domain/refusal.ts';
import { ROOT } from '../../support/run-baton.ts';
import { output, RunStage, taskFor } from '../../support/run-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const MAIN = join(ROOT, 'dist/main.js');
const stage = await RunStage.up('agent-endpoint');
stage.configure({ access: { allow: [ROOT] }, network: { max: 'FULL' } });
const client = stage.daemon?.client ?? assert.fail('no node');
const other = taken(await client.createTask({ title: 'Not yours' }));

type EndpointAnswer = Readonly<Record<string, unknown>> & {
  readonly token: string;
  readonly url: string;
  readonly own: string;
  readonly run: string;
};

async function knock(network: string, objective: object = {}) {
  const repository = stage.repository();
  const { root } = repository;
  const filesystem = { read_paths: [root, ROOT], write_paths: [root] };
  const words = JSON.stringify({ other: other.id, ...objective });
  const task = taskFor('uses-its-endpoint', root, {
    task: { objective: words, access: { filesystem, network }, expected_outputs: [output('told.json')] },
  });
  const run = await stage.run(task);
  assert.equal(run.exit, 0, run.stdout + run.stderr);
  return { run, told: JSON.parse(readFileSync(join(root, 'told.json'), 'utf8')) as EndpointAnswer };
}

function taken<Value>(answer: Value | Refusal): Value {
  assert.ok(!isRefusal(answer), JSON.stringify(answer));
  return answer;
}

/** Every file below a folder that has a text in it. */
function filesWith(folder: string, text: string): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map((file) => join(file.parentPath, file.name)).filter((path) => readFileSync(path).includes(text));
}

describe('the server of an agent', { skip: noBubblewrap }, () => {
  test('with the token of its run it reaches its own task and nothing else, and only while it runs', async () => {
    const { run, told } = await knock('RESTRICTED', { main: MAIN });
    const { own, token, url } = told;
    assert.equal(own, run.own.task);
    assert.deepEqual(told.healthz, [200, true]);
    assert.deepEqual([told.show, told.direct, told.beat], [[200, own], [200], [200, own]]);
    assert.deepEqual(
      [told.update, told.progress],
      [
        [200, 'accepted'],
        [200, 'accepted'],
      ],
    );
    assert.deepEqual(
      [told.beatForAnother, told.updateAsOperator, told.updateOfOther, told.progressOfOther],
      Array(4).fill([409, 'unauthorized_agent']),
    );
    assert.deepEqual([told.escalation, told.order], Array(2).fill([409, 'E_PERMISSION_DENIED']));
    assert.deepEqual(told.answer, [409, 'not_served']);
    assert.deepEqual([told.otherRun, ...(told.refused as unknown[])], Array(10).fill([403, 'scope_denied']));
    assert.deepEqual(
      [told.cookie, told.host],
      [
        [401, 'unauthenticated'],
        [403, 'forbidden_origin'],
      ],
    );
    assert.deepEqual(
      [told.cliSend, told.cliBeat, told.cliShow, told.cliStatus, told.cliOther],
      [
        [0, 'accepted'],
        [0, own],
        [0, own],
        [2, 'scope_denied'],
        [2, 'scope_denied'],
      ],
    );
    const headers = { authorization: `Bearer ${token}` };
    assert.equal((await fetch(`${url}/v1/tasks/${own}`, { headers })).status, 401, 'dead after the run');
    assert.deepEqual(filesWith(stage.folder, token), [], 'on no file of the node');
    assert.doesNotMatch(run.stdout + run.stderr + (stage.daemon?.stderr ?? ''), new RegExp(token));
    assert.match(readFileSync(join(stage.data.path, 'runs', own, 'output.log'), 'utf8'), /my token is \S*REDACTED/);
    const events = taken(await client.listEvents({ after: 0, task: own })).events;
    assert.ok(events.some(({ type, actor }) => type === 'protocol.message.rejected' && actor === 'uses-its-endpoint'));
    assert.ok(events.some(({ type, payload }) => type === 'run.progressed' && payload.percentage === 40));
    const untouched = taken(await client.listEvents({ after: 0, task: other.id })).events;
    assert.deepEqual(
      untouched.map(({ type }) => type),
      ['task.created'],
    );
  });

  test('its word that it is done does not end its run: its program does, and the work is checked', async () => {
    const { root } = stage.repository();
    const task = taskFor('ends-its-session', root, { task: { expected_outputs: [output('told.json')] } });
    const run = await stage.run(task);
    assert.deepEqual([run.exit, readFileSync(join(root, 'told.json'), 'utf8')], [0, '[200,"ended"]']);
    assert.equal((await stage.task(run.own.task)).status, 'done');
  });

  test('a cost that it reports with its token counts towards its budget', async () => {
    const { root } = stage.repository();
    const run = await stage.run(taskFor('spends-by-token', root), '--budget', '9');
    assert.deepEqual(
      [run.exit, run.code, run.response.cost_tracking?.actual_cost_usd],
      [1, 'E_COST_LIMIT_EXCEEDED', 9.5],
    );
  });

  test('the header of a change says nothing about files that a run may not ask about', async () => {
    const { told } = await knock('RESTRICTED');
    assert.equal(told.treeOfBeat, 'pending');
  });

  test('under FULL it has a server too; under NONE it is not told of any', async () => {
    const full = await knock('FULL');
    assert.deepEqual(full.told.show, [200, full.told.own]);
    const none = await knock('NONE');
    assert.equal(none.told.hasEndpoint, false);
  });
});
