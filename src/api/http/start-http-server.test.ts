import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { before, test } from 'node:test';
import { codeOf, TestServer, TOKEN } from '../../../test/support/node/test-server.ts';
import { completion, SENT_AT } from '../../../test/support/task/task-life.ts';
import type { TaskPage } from '../contract.ts';
import { NodeFault } from '../node-fault.ts';
import { httpClient } from './http-client.ts';

let server: TestServer;
before(async () => {
  server = await TestServer.open();
});

function report(taskId: string): string {
  const head = {
    protocol: 'aof',
    version: 1,
    type: 'completion.report',
    taskId,
    fromAgent: 'swe',
    toAgent: 'dispatcher',
  };
  return JSON.stringify({ ...head, sentAt: SENT_AT, payload: completion('done') });
}

test('a session as curl has it: make, wait for the tree, claim, report, end, look', async () => {
  const own = await TestServer.open();
  const made = await own.post('/v1/tasks?tree=wait', { title: 'Add users endpoint', priority: 'high' });
  const id = String(made.body.id);
  assert.deepEqual([made.status, made.body.status, made.headers.get('baton-tree')], [201, 'backlog', 'settled']);
  assert.match(readFileSync(own.tree.path(`tasks/backlog/${id}.md`), 'utf8'), /Add users endpoint/);
  const claimed = await own.post(`/v1/tasks/${id}/claim`, { agent: 'swe' });
  const run = String((claimed.body.run as { id: string }).id);
  assert.equal(claimed.status, 200);
  assert.equal((await own.post(`/v1/tasks/${id}/beat`, { agent: 'swe' }, { 'baton-run': run })).status, 200);
  assert.equal((await own.post(`/v1/tasks/${id}/beat`, { agent: 'swe' }, { 'baton-run': 'run_x' })).status, 409);
  const sent = await own.post('/v1/messages', `AOF/1 ${report(id)}`, { 'content-type': 'text/plain' });
  assert.deepEqual([sent.status, sent.body.verdict], [200, 'accepted']);
  const ended = await own.post(`/v1/tasks/${id}/end?tree=wait`, { agent: 'swe' });
  assert.equal((ended.body.task as { status: string }).status, 'review');
  assert.ok(own.tree.has(`tasks/review/${id}.md`));
  assert.equal((await own.post(`/v1/tasks/${id}/move`, { to: 'done', reason: 'seen' })).body.status, 'done');
  const runs = (await own.get(`/v1/runs?task=${id}`)).body.runs as { id: string; taskId: string; status: string }[];
  assert.deepEqual([runs[0]?.id, runs[0]?.taskId, runs[0]?.status], [run, id, 'completed']);
  assert.deepEqual((await own.get('/v1/runs?live=true')).body, { runs: [], next: null });
  assert.deepEqual((await own.get('/v1/sessions')).body, { sessions: [], next: null }, 'a run is no session');
});

test('messages answer 200, 409, 422, 415 and 413, each with what baton send prints', async () => {
  const answers: readonly [string, string, number, string | null][] = [
    [report('TASK-2026-02-09-999'), 'application/json', 409, 'refused'],
    ['{"protocol":"aof"}', 'application/json; charset=utf-8', 422, 'malformed'],
    ['{"what":"ever"}', 'application/json', 415, 'foreign'],
    ['AOF/1 {"protocol":"aof"}', 'text/plain;charset=UTF-8', 422, 'malformed'],
    [`AOF/1 "${'x'.repeat(10 * 1024 * 1024)}"`, 'text/plain', 413, 'malformed'],
    ['aof/1 {}', 'text/plain', 415, null],
    ['{}', 'application/xml', 415, null],
    ['{}', 'application/json; charset=latin1', 415, null],
    ['{}', 'application/json; charset=utf-8; x=y', 415, null],
  ];
  for (const [text, type, status, verdict] of answers) {
    const answer = await server.post('/v1/messages', text, { 'content-type': type });
    assert.deepEqual([answer.status, answer.body.verdict ?? null], [status, verdict], `${type} ${text.slice(0, 30)}`);
    if (verdict === null) assert.equal(codeOf(answer.body), 'unsupported_content_type');
  }
});

test('lines of messages are answered line by line, in order, once for a key', async () => {
  const own = await TestServer.open();
  const id = String((await own.post('/v1/tasks', { title: 'One' })).body.id);
  await own.post(`/v1/tasks/${id}/claim`, { agent: 'swe' });
  const body = `${report(id)}\r\n\n{"what":"ever"}\n{\nAOF/1 ${report('TASK-2026-02-09-999')}`;
  const send = async () => {
    const headers = { 'content-type': 'application/x-ndjson', 'idempotency-key': 'lines' };
    const response = await own.fetch('/v1/messages', { method: 'POST', headers, body });
    assert.equal(response.status, 200);
    assert.match(response.headers.get('content-type') ?? '', /application\/x-ndjson/);
    return (await response.text()).trimEnd().split('\n');
  };
  const first = await send();
  const verdicts = first.map((line) => (JSON.parse(line) as { verdict: string }).verdict);
  assert.deepEqual(verdicts, ['accepted', 'foreign', 'malformed', 'refused']);
  assert.equal((await send())[0], first[0]);
  const many = await own.fetch('/v1/messages', {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: '{}\n'.repeat(10_001),
  });
  assert.equal(many.status, 413);
});

test('unknown fields, wrong values and unknown queries are refused with their place, and what was meant', async () => {
  const wrong = await server.post('/v1/tasks', { title: 'x', prioritty: 'high', tags: 'a' });
  assert.equal(wrong.status, 422);
  assert.deepEqual(wrong.body.error, {
    code: 'invalid_argument',
    message: 'prioritty: is not a known field; did you mean priority?',
    path: '/prioritty',
    hint: 'GET /v1/openapi.json has the fields of each call',
    retryable: false,
    details: ['tags: must be a list, not "a"'],
  });
  for (const path of [
    '/v1/tasks?statsu=done',
    '/v1/tasks?limit=-1',
    '/v1/tasks?limit=x',
    '/v1/tasks?status=a&status=b',
    '/v1/tasks?all=1',
  ])
    assert.equal((await server.get(path)).status, 422, path);
  for (const path of [
    '/v1/events?type=task.nothing',
    '/v1/events?after=x',
    '/v1/events?after=9999999999999999',
    '/v1/events?run=none',
    '/v1/events?limit=1',
  ])
    assert.equal((await server.get(path)).status, 422, path);
  assert.equal((await server.get('/v1/events?task=none')).status, 404);
  assert.equal((await server.get('/v1/events', { 'last-event-id': '-1' })).status, 422);
  assert.equal((await server.post('/v1/tasks?tree=now', { title: 'x' })).status, 422);
  assert.equal((await server.post('/v1/tasks/1/move', { to: 'nowhere' })).status, 422);
  assert.equal((await server.post('/v1/backup', { file: 'relative' })).status, 422);
});

test('each refusal has its status', async () => {
  const own = await TestServer.open();
  await own.post('/v1/tasks', { title: 'One' }, { 'idempotency-key': 'k' });
  assert.equal((await own.post('/v1/tasks', { title: 'Two' }, { 'idempotency-key': 'k' })).status, 409);
  assert.equal((await own.get('/v1/tasks/none')).status, 404);
  assert.equal((await own.post('/v1/tasks/one/move', { to: 'done' })).status, 409);
  assert.equal((await own.post('/v1/tasks', { title: '' })).status, 422);
  assert.equal((await own.post('/v1/tasks/one/depend', { on: ['one'] })).status, 409);
  const wrongMethod = await own.fetch('/v1/tasks/one', { method: 'DELETE' });
  assert.deepEqual([wrongMethod.status, wrongMethod.headers.get('allow')], [405, 'GET, PATCH']);
});

test('ten thousand tasks are listed in pages without loss or repeat', async () => {
  const own = await TestServer.open({ isTreeless: true });
  const made = await Promise.all(
    Array.from({ length: 10_000 }, (_, at) => own.local.createTask({ title: `Task ${at}` })),
  );
  assert.equal(made.length, 10_000);
  const seen = new Set<string>();
  for (let next: number | null = 0, pages = 0; next !== null; pages++) {
    const page = (await own.get(`/v1/tasks?after=${next}&limit=500`)).body as unknown as TaskPage;
    for (const { id } of page.tasks) seen.add(id);
    assert.ok(pages <= 20 && page.tasks.length <= 500);
    next = page.next;
  }
  assert.equal(seen.size, 10_000);
});

test('a node that is not ready says so, one that stops takes nothing new, one that is gone is a retryable fault', async () => {
  let isReady = false;
  const own = await TestServer.open({ isReady: () => isReady });
  assert.equal((await own.get('/readyz')).status, 503);
  isReady = true;
  assert.deepEqual((await own.get('/readyz')).body, { ok: true });
  await own.http.close();
  await assert.rejects(own.client.status(), (error) => error instanceof NodeFault && error.retryable);
  const wrong = httpClient({ url: server.http.url, token: `${TOKEN}x` });
  await assert.rejects(
    wrong.status(),
    (error) => error instanceof NodeFault && !error.retryable && error.code === 'unauthenticated',
  );
});

test('what fails inside is told without what is inside', async () => {
  const own = await TestServer.open({ isTreeless: true });
  own.at.ledger.close();
  const answer = await own.get('/v1/status');
  assert.deepEqual([answer.status, codeOf(answer.body)], [500, 'node_failed']);
  assert.ok(!JSON.stringify(answer.body).includes('database'));
  assert.equal(own.faults.length, 1);
});

test('routes that are made with the first request answer all that come meanwhile, bodies whole', async () => {
  const own = await TestServer.open({ areRoutesLate: true });
  const body = 'x'.repeat(200_000);
  const [made, again, listed, none] = await Promise.all([
    own.post('/v1/tasks', { title: 'First', body }),
    own.post('/v1/tasks', { title: 'Second', body }),
    own.get('/v1/tasks'),
    own.get('/v1/nothing'),
  ]);
  assert.deepEqual([made.status, again.status, listed.status, none.status], [201, 201, 200, 404]);
  assert.equal(made.body.body, body);
  await own.close();
  await assert.rejects(own.get('/v1/tasks'), 'a closed server accepts no connection');
});

test('before its routes are made, a server turns strangers and garbage away, and closes', async () => {
  const own = await TestServer.open({ areRoutesLate: true });
  const stranger = await fetch(`${own.http.url}/v1/tasks`);
  assert.equal(stranger.status, 401);
  const socket = connect(own.http.port, '127.0.0.1');
  socket.end('no HTTP at all\r\n\r\n');
  const answer = (await socket.setEncoding('utf8').toArray()).join('');
  assert.match(answer, /^HTTP\/1\.1 400 /);
  await own.close();
});
