import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import type { BatchAnswer, BatchLine, TaskPage } from '../../src/api/contract.ts';
import { httpClient } from '../../src/api/http/http-client.ts';
import type { NodeClient } from '../../src/api/node-client.ts';
import type { TaskView } from '../../src/api/task/task-view.ts';
import type { TaskName } from '../../src/domain/task/task.ts';
import { TestServer, TOKEN } from '../support/node/test-server.ts';
import { taken } from '../support/taken.ts';

async function answersOf(client: NodeClient, lines: readonly BatchLine[]): Promise<BatchAnswer[]> {
  const answers: BatchAnswer[] = [];
  for await (const group of client.batch(lines)) answers.push(...group);
  return answers;
}

function codes(answers: readonly BatchAnswer[]): (string | null)[] {
  return answers.map(({ error }) => error?.code ?? null);
}

const create = (title: string, key?: string): BatchLine => ({
  call: 'createTask',
  request: { title },
  ...(key !== undefined && { key }),
});

const CLIENTS: Readonly<Record<string, (server: TestServer) => NodeClient>> = {
  'in process': (server) => server.local,
  'over HTTP': (server) => server.client,
};

for (const [way, choose] of Object.entries(CLIENTS)) {
  describe(`a batch ${way}`, () => {
    test('10,000 lines are answered in their order', { timeout: 120_000 }, async () => {
      const server = await TestServer.open({ isTreeless: true });
      const lines = Array.from({ length: 10_000 }, (_, at) => create(`Task ${at}`));
      const answers = await answersOf(choose(server), lines);
      assert.deepEqual(
        answers.map(({ answer }) => (answer as TaskView).title),
        lines.map(({ request }) => request?.title),
      );
      assert.equal(taken(await server.local.status()).counts.backlog, 10_000);
    });

    test('the key of a line follows the rule of the header', async () => {
      const server = await TestServer.open({ isTreeless: true });
      const keys = ['', 'a b', 'a\nb', 'a\u0000b', 'k'.repeat(256), 'k'.repeat(100_000), 'k'.repeat(255)];
      const answers = await answersOf(
        choose(server),
        keys.map((key) => create('One', key)),
      );
      assert.deepEqual(codes(answers), [...Array(6).fill('invalid_argument'), null]);
      assert.deepEqual(new Set(answers.slice(0, 6).map(({ error }) => error?.path)), new Set(['/key']));
    });

    test('lines about one task keep their order; each has its own answer, error and key', async () => {
      const server = await TestServer.open({ isTreeless: true });
      const client = choose(server);
      const [made] = await answersOf(client, [create('One', 'k-1')]);
      const id = (made?.answer as TaskView | undefined)?.id ?? '';
      const lines: BatchLine[] = [
        create('One', 'k-1'),
        create('Other', 'k-1'),
        { call: 'moveTask', request: { task: id, to: 'ready' } },
        { call: 'claimTask', request: { task: id, agent: 'emma' } },
        { call: 'claimTask', request: { task: id, agent: 'bob' } },
        { call: 'noSuchCall' },
        { call: 'moveTask', request: { task: id } },
        'garbage' as never,
        { call: 'endTask', request: { task: id, agent: 'emma' } },
        { call: 'listTasks' },
      ];
      const answers = await answersOf(client, lines);
      assert.deepEqual(codes(answers), [
        null,
        'idempotency_key_reused',
        null,
        null,
        'already_claimed',
        'invalid_argument',
        'invalid_argument',
        'invalid_json',
        null,
        null,
      ]);
      assert.equal((answers[0]?.answer as TaskView | undefined)?.id, id);
      assert.equal(answers[6]?.error?.path, '/request/to');
      assert.equal((answers.at(-1)?.answer as TaskPage | undefined)?.tasks.length, 1);
    });
  });
}

describe('a batch over HTTP', () => {
  test('with the token of a run makes the calls that the run may make, and no others', async () => {
    const server = await TestServer.open({ isTreeless: true });
    const task = taken(await server.local.createTask({ title: 'Mine' }));
    const { run } = taken(await server.local.claimTask({ task: task.id, agent: 'emma' }));
    const holder = { taskId: task.id as TaskName, taskUid: task.uid, runId: run.id, agent: 'emma' };
    const client = httpClient({ url: server.http.url, token: server.http.agents.admit(holder) });
    const answers = await answersOf(client, [
      { call: 'beatTask', request: { task: task.id, agent: 'emma' } },
      create('Not mine'),
      { call: 'status' },
      { call: 'showTask', request: { task: task.uid } },
    ]);
    assert.deepEqual(codes(answers), [null, 'scope_denied', 'scope_denied', null]);
  });

  test('says what is wrong with a line, and skips empty ones', async () => {
    const server = await TestServer.open({ isTreeless: true });
    const lines = ['{"call":"status","call":"status"}', '', '[1]', '{"call":"noSuchCall"}', '\r', '{"kind":"refusal"}'];
    const headers = { 'content-type': 'application/x-ndjson', 'idempotency-key': 'k'.repeat(255) };
    const body = [...lines, JSON.stringify(create('Long'))].join('\n');
    const response = await server.fetch('/v1/batch', { method: 'POST', body, headers });
    const text = await response.text();
    const answers = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as BatchAnswer);
    assert.deepEqual(codes(answers), ['invalid_json', 'invalid_json', 'invalid_argument', 'invalid_argument', null]);
    assert.match(answers[0]?.error?.message ?? '', /call.*twice|twice|repeated|more than once/);
    assert.match(answers[0]?.error?.hint ?? '', /^a line is one JSON object/);
    assert.equal(answers[2]?.error?.hint, 'GET /v1/openapi.json has the fields of each call');
  });

  test('has a bound, and one form', async () => {
    const server = await TestServer.open({ isTreeless: true });
    const type = { 'content-type': 'application/x-ndjson' };
    assert.equal((await server.post('/v1/batch', '{"call":"status"}\n'.repeat(10_001), type)).status, 413);
    const { status, body } = await server.post('/v1/batch', {});
    assert.equal(status, 415);
    assert.match((body.error as { hint: string }).hint, /^send application\/x-ndjson,/);
  });

  test('a caller that goes away does not stop the node', async () => {
    const server = await TestServer.open({ isTreeless: true });
    const body = Array.from({ length: 5_000 }, (_, at) => JSON.stringify(create(`Task ${at}`))).join('\n');
    const { hostname, port, host } = new URL(server.http.url);
    const head = [
      'POST /v1/batch HTTP/1.1',
      `host: ${host}`,
      `authorization: Bearer ${TOKEN}`,
      'content-type: application/x-ndjson',
      `content-length: ${Buffer.byteLength(body)}`,
    ];
    await new Promise<void>((resolve) => {
      const socket = connect(Number(port), hostname, () => socket.write(`${head.join('\r\n')}\r\n\r\n${body}`));
      socket.once('data', () => socket.destroy()).on('close', () => resolve());
    });
    const after = taken(await server.local.createTask({ title: 'After' }));
    const events = taken(await server.local.listEvents({ after: 0 })).events;
    assert.ok(events.length > 1 && after.id);
    assert.deepEqual(server.faults, []);
  });
});
