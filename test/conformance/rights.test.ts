import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { ANSWERED_NAMES, CALL_NAMES, specOf } from '../../src/api/calls.ts';
import { httpClient } from '../../src/api/http/http-client.ts';
import { callNamed, type NodeClient } from '../../src/api/node-client.ts';
import { isRefusal } from '../../src/domain/refusal.ts';
import type { RunHolder } from '../../src/domain/task/channel.ts';
import type { TaskName } from '../../src/domain/task/task.ts';
import { TestServer } from '../support/node/test-server.ts';
import { taken } from '../support/taken.ts';

const RUN_CALLS = ['showTask', 'beatTask', 'endTask', 'send', 'batch'];

describe('the rights of a run', () => {
  let server: TestServer;
  let holder: RunHolder;
  let token: string;
  const clients: Record<string, NodeClient> = {};

  before(async () => {
    server = await TestServer.open();
    const task = taken(await server.local.createTask({ title: 'Mine' }));
    taken(await server.local.createTask({ title: 'Not mine' }));
    const { run } = taken(await server.local.claimTask({ task: task.id, agent: 'emma' }));
    holder = { taskId: task.id as TaskName, taskUid: task.uid, runId: run.id, agent: 'emma' };
    token = server.http.agents.admit(holder);
    clients['in process'] = server.clientFor({ kind: 'run', holder });
    clients['over HTTP'] = httpClient({ url: server.http.url, token });
  });

  test('are the calls that the table opens to runs', () => {
    assert.deepEqual(
      CALL_NAMES.filter((name) => specOf(name).who === 'own-task'),
      RUN_CALLS,
    );
  });

  for (const way of ['in process', 'over HTTP']) {
    test(`${way}: every other call is refused, whatever it asks for`, async () => {
      const client = clients[way] ?? assert.fail();
      const before = taken(await server.local.listEvents({ after: 0 }));
      for (const name of ANSWERED_NAMES.filter((each) => !RUN_CALLS.includes(each))) {
        const answer = await callNamed(client, name)({ task: holder.taskId, title: 'x', text: 'x', file: '/tmp/x' });
        assert.ok(isRefusal(answer) && answer.code === 'scope_denied', `${name}: ${JSON.stringify(answer)}`);
      }
      assert.deepEqual(taken(await server.local.listEvents({ after: 0 })), before);
    });

    test(`${way}: its own task has two names for it, and no other task has any`, async () => {
      const client = clients[way] ?? assert.fail();
      for (const task of [holder.taskId, holder.taskUid])
        assert.equal(taken(await client.showTask({ task })).title, 'Mine');
      for (const task of ['1', '@', 'mine', holder.taskId.toLowerCase(), '2', 'not mine', ` ${holder.taskId}`]) {
        const answer = await client.showTask({ task });
        assert.ok(isRefusal(answer) && answer.code === 'scope_denied', task);
      }
    });

    test(`${way}: it beats for its own run and no other`, async () => {
      const client = clients[way] ?? assert.fail();
      const request = { task: holder.taskId, agent: 'emma' };
      assert.equal(taken(await client.beatTask(request)).run.id, holder.runId);
      assert.equal(taken(await client.beatTask({ ...request, run: holder.runId })).run.id, holder.runId);
      for (const other of [
        await client.beatTask({ ...request, run: 'run_2' }),
        await client.endTask({ ...request, run: 'run_2' }),
      ])
        assert.ok(isRefusal(other) && other.code === 'scope_denied');
      const sent = await client.send({ text: '{}', run: 'run_2' });
      assert.deepEqual([sent.verdict, sent.code], ['refused', 'scope_denied']);
    });
  }

  test('cannot be widened by the form of a request', async () => {
    const task = holder.taskId;
    const lines = [
      'GET /v1/messages',
      'GET /v1/tasks',
      'POST /v1/tasks',
      `GET /v1/tasks/${task}/`,
      `GET /v1/tasks/${task}/log`,
      `GET /v1/tasks/${task}%2f..%2fTASK-2026-02-09-002`,
      `PATCH /v1/tasks/${task}`,
      `DELETE /v1/tasks/${task}`,
      `HEAD /v1/tasks/${task}`,
      `POST /v1/tasks/${task}`,
      `POST /v1/tasks/${task}/claim`,
      `POST /v1/tasks/${task}/beat/../../2/end`,
      'GET /v1/events?after=0',
      'GET /v1/openapi.json',
      'GET /v1/sessions',
      'GET /nowhere',
    ];
    for (const line of lines) {
      const [method = '', path = ''] = line.split(' ');
      const { status } = await server.fetch(path, { method, headers: { authorization: `Bearer ${token}` } });
      assert.ok([403, 404, 405].includes(status), `${line}: ${status}`);
    }
  });
});
