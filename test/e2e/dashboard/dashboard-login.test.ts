import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { TaskName } from '../../../src/domain/task/task.ts';
import { codeOf, TestServer, TOKEN } from '../../support/node/test-server.ts';

let server: TestServer;
before(async () => {
  server = await TestServer.open({ isTreeless: true });
});

const open = (path: string, init: RequestInit = {}) => fetch(`${server.http.url}${path}`, init);

async function exchange(code: string): Promise<{ status: number; body: { token?: string } }> {
  const response = await open('/v1/dashboard/token', { method: 'POST', headers: { 'baton-link': code } });
  return { status: response.status, body: (await response.json()) as { token?: string } };
}

function code(): string {
  return new URL(server.http.link().url).hash.slice('#link='.length);
}

test('every page is the same file, with headers that keep scripts of others out and frames away', async () => {
  const bodies = new Set<string>();
  for (const path of ['/', '/board', '/tasks/TASK-2026-02-09-057?show=diff', '/new', '/sessions/S-1', '/events']) {
    const response = await open(path);
    assert.equal(response.status, 200, path);
    assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.equal(response.headers.get('cache-control'), 'no-store');
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
    assert.equal(response.headers.get('referrer-policy'), 'no-referrer');
    assert.equal(response.headers.get('x-frame-options'), 'DENY');
    assert.equal(response.headers.get('set-cookie'), null);
    const policy = response.headers.get('content-security-policy') ?? '';
    for (const rule of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"])
      assert.ok(policy.split('; ').includes(rule), rule);
    assert.doesNotMatch(policy, /unsafe|data:|blob:|\*|http/);
    bodies.add(await response.text());
  }
  assert.equal(bodies.size, 1);
  const [page = ''] = bodies;
  assert.doesNotMatch(page, /<style|style=|<script(?![^>]*src=)|\son\w+=|https?:/);
});

test('the files that the page loads are served, compressed, for good, and nothing beside them', async () => {
  const page = await (await open('/')).text();
  const files = [...page.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path]) => path ?? '');
  assert.ok(files.length >= 3);
  for (const file of files) {
    const response = await open(file);
    assert.equal(response.status, 200, file);
    assert.equal(response.headers.get('content-encoding'), 'gzip');
    const isLasting = file.startsWith('/assets/');
    assert.match(response.headers.get('cache-control') ?? '', isLasting ? /immutable/ : /no-store/);
    const head = await open(file, { method: 'HEAD' });
    assert.deepEqual([head.status, await head.text()], [200, '']);
  }
  for (const path of ['/assets/none.js', '/assets/.built', '/assets/..%2findex.html'])
    assert.equal((await open(path)).status, 404, path);
  for (const path of ['/index.html', '/.built', '/assets', '/v1/dashboard/link'])
    assert.equal((await open(path)).status, 401);
});

test('a link is exchanged for a token once; the token makes every call of an operator', async () => {
  const given = code();
  const { status, body } = await exchange(given);
  assert.equal(status, 201);
  const headers = { authorization: `Bearer ${body.token}` };
  assert.equal((await open('/v1/status', { headers })).status, 200);
  assert.equal((await open('/v1/overview', { headers })).status, 200);
  const again = await exchange(given);
  assert.deepEqual([again.status, codeOf(again.body)], [401, 'link_used']);
  for (const wrong of ['', given.slice(1), TOKEN]) {
    const answer = await exchange(wrong);
    assert.deepEqual([answer.status, codeOf(answer.body)], [401, 'link_unknown']);
  }
});

test('of two browsers with one link exactly one gets in', async () => {
  const given = code();
  const answers = await Promise.all(Array.from({ length: 8 }, () => exchange(given)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array.from({ length: 7 }, () => 401)]);
});

test('links are made for the operator alone', async () => {
  assert.equal((await open('/v1/dashboard/link', { method: 'POST' })).status, 401);
  const holder = { taskId: 'TASK-2026-02-09-001' as TaskName, taskUid: 'tsk_1', runId: 'run_1', agent: 'emma' };
  const headers = { authorization: `Bearer ${server.http.agents.admit(holder)}` };
  const denied = await open('/v1/dashboard/link', { method: 'POST', headers });
  assert.deepEqual([denied.status, codeOf(await denied.json())], [403, 'scope_denied']);
  const { status, body } = await server.post('/v1/dashboard/link', {});
  assert.equal(status, 201);
  assert.match(String(body.url), /#link=[\w-]{43}$/);
  assert.deepEqual((await server.get(`/v1/dashboard/link/${body.id}`)).body, { isUsed: false });
  assert.equal((await exchange(new URL(String(body.url)).hash.slice('#link='.length))).status, 201);
  assert.deepEqual((await server.get(`/v1/dashboard/link/${body.id}`)).body, { isUsed: true });
});

test('a page of another site cannot exchange a link, and cannot frame or read a page', async () => {
  const headers = { 'baton-link': code(), origin: 'http://evil.test', 'sec-fetch-site': 'cross-site' };
  assert.equal((await open('/v1/dashboard/token', { method: 'POST', headers })).status, 403);
  for (const mode of ['cors', 'no-cors']) {
    const read = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': mode, 'sec-fetch-dest': 'empty' };
    assert.equal((await open('/', { headers: read })).status, 403);
  }
});
