import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import type { TaskName } from '../../domain/task/task.ts';
import { admitRequest, RunTokens, visitorOf } from './admit-request.ts';

const TOKEN = 'a-token-of-a-good-length-0123456789';
const BROWSER_TOKEN = 'a-token-of-a-browser-0123456789-01234';
const ADMISSION = {
  hosts: new Set(['127.0.0.1:4100', 'localhost:4100']),
  origins: new Set(['http://127.0.0.1:4100', 'http://localhost:4100']),
  token: Buffer.from(TOKEN),
  runTokens: new RunTokens(),
  dashboard: { isToken: (given: Buffer) => given.toString() === BROWSER_TOKEN },
};

function request(given: { method?: string; url?: string; headers?: Record<string, string> }): IncomingMessage {
  const headers = { host: '127.0.0.1:4100', authorization: `Bearer ${TOKEN}`, ...given.headers };
  const rawHeaders = Object.entries(headers).flat();
  return { method: 'GET', url: '/v1/status', ...given, headers, rawHeaders } as unknown as IncomingMessage;
}

/** The headers of a browser that follows a link of another site. */
const FROM_AFAR = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

const TYPED_IN = { ...FROM_AFAR, 'sec-fetch-site': 'none' };

const CASES: readonly [string, Parameters<typeof request>[0], string | null][] = [
  ['a program with the token', {}, null],
  ['health without a token', { url: '/healthz', headers: { authorization: '' } }, null],
  ['health with a query', { url: '/readyz?x=1', headers: { authorization: '' } }, null],
  ['what only begins like health', { url: '/healthzz', headers: { authorization: '' } }, 'unauthenticated'],
  ['no token', { headers: { authorization: '' } }, 'unauthenticated'],
  ['another host', { headers: { host: 'evil.test:4100' } }, 'forbidden_host'],
  ['another host for health', { url: '/healthz', headers: { host: 'evil.test:4100' } }, 'forbidden_host'],
  ['a whole address', { url: 'http://127.0.0.1:4100/v1/status' }, 'bad_request'],
  ['the own page', { headers: { origin: 'http://localhost:4100', 'sec-fetch-site': 'same-origin' } }, null],
  ['the own page, typed in', { headers: { 'sec-fetch-site': 'none' } }, null],
  ['another origin', { headers: { origin: 'http://evil.test' } }, 'forbidden_origin'],
  [
    'the own origin of another site',
    { headers: { origin: 'http://localhost:4100', 'sec-fetch-site': 'cross-site' } },
    'forbidden_origin',
  ],
  ['an image of another page', { headers: { 'sec-fetch-site': 'cross-site' } }, 'forbidden_origin'],
  ['a browser that hides its origin', { method: 'POST', headers: { 'sec-fetch-site': 'none' } }, 'forbidden_origin'],
  ['the fetch of Node', { method: 'POST', headers: { 'sec-fetch-mode': 'cors' } }, null],
  ['OPTIONS', { method: 'OPTIONS' }, 'method_not_allowed'],
  ['OPTIONS of another origin', { method: 'OPTIONS', headers: { origin: 'null' } }, 'forbidden_origin'],
  ['the token of a browser', { headers: { authorization: `Bearer ${BROWSER_TOKEN}` } }, null],
  ['a page without a token', { url: '/tasks/57?x=1', headers: { authorization: '' } }, null],
  ['a file of the dashboard', { url: '/assets/main-1a2b.js', headers: { authorization: '' } }, null],
  ['a file above the dashboard', { url: '/assets/../v1/status', headers: { authorization: '' } }, 'unauthenticated'],
  ['a page that is none', { url: '/nowhere', headers: { authorization: '' } }, 'unauthenticated'],
  ['a page that is none, by a person', { url: '/nowhere/at/all', headers: { ...FROM_AFAR, authorization: '' } }, null],
  ['a call, by a person', { url: '/v1/status', headers: { ...TYPED_IN, authorization: '' } }, 'unauthenticated'],
  ['a call in disguise', { url: '/%761/status', headers: { ...TYPED_IN, authorization: '' } }, 'unauthenticated'],
  ['a call behind two slashes', { url: '//v1/status', headers: { ...TYPED_IN, authorization: '' } }, 'unauthenticated'],
  ['a page, written to', { method: 'POST', url: '/board', headers: { authorization: '' } }, 'unauthenticated'],
  ['a page, by a link elsewhere', { url: '/board', headers: { ...FROM_AFAR, authorization: '' } }, null],
  [
    'a page in a frame elsewhere',
    { url: '/board', headers: { ...FROM_AFAR, 'sec-fetch-dest': 'iframe' } },
    'forbidden_origin',
  ],
  ['a call, by a link elsewhere', { headers: FROM_AFAR }, 'forbidden_origin'],
  ['a page of another origin', { url: '/', headers: { ...FROM_AFAR, origin: 'http://evil.test' } }, 'forbidden_origin'],
  ['a link without a token', { method: 'POST', url: '/v1/dashboard/token', headers: { authorization: '' } }, null],
  [
    'a link with a body',
    { method: 'POST', url: '/v1/dashboard/token', headers: { authorization: '', 'content-length': '1' } },
    'unauthenticated',
  ],
  [
    'a link, asked for without a token',
    { method: 'POST', url: '/v1/dashboard/link', headers: { authorization: '' } },
    'unauthenticated',
  ],
  ['an upgrade', { headers: { upgrade: 'websocket' } }, 'bad_request'],
];

for (const [name, given, expected] of CASES) {
  test(`${name}: ${expected ?? 'comes in'}`, () => {
    const answer = admitRequest(request(given), ADMISSION);
    assert.equal(typeof answer === 'string' ? answer : null, expected);
  });
}

test('only the whole token is the token', () => {
  assert.equal(visitorOf(`Bearer ${TOKEN}`, ADMISSION).kind, 'operator');
  assert.equal(visitorOf(`bearer ${TOKEN}`, ADMISSION).kind, 'operator');
  for (const given of [
    undefined,
    '',
    'Bearer',
    TOKEN,
    `Bearer ${TOKEN}0`,
    `Bearer ${TOKEN.slice(1)}`,
    `Basic ${TOKEN}`,
  ])
    assert.equal(visitorOf(given, ADMISSION).kind, 'unauthenticated');
});

test('the token of a run admits its agent until it is replaced or released', () => {
  const runTokens = new RunTokens();
  const admission = { ...ADMISSION, runTokens };
  const taskId = 'TASK-2026-02-09-001' as TaskName;
  const holder = { taskId, taskUid: 'tsk_01KGQ7M3XVN5Y8T2B4C6D8F0G1', runId: 'run_1', agent: 'emma' };
  const authorization = `Bearer ${runTokens.admit(holder)}`;
  const ask = (url: string, headers: Record<string, string> = {}) =>
    admitRequest(request({ url, headers: { authorization, ...headers } }), admission);
  assert.deepEqual(ask('/v1/messages'), { kind: 'run', holder });
  assert.equal(ask('/v1/messages', { host: 'evil.test' }), 'forbidden_host');
  assert.equal(ask('/healthz', { origin: 'http://evil.test' }), 'forbidden_origin');
  const [earlier, later] = [authorization, `Bearer ${runTokens.admit(holder)}`];
  assert.deepEqual(
    [earlier, later].map((given) => visitorOf(given, admission).kind),
    ['unauthenticated', 'run'],
  );
  runTokens.release('run_1');
  assert.equal(visitorOf(later, admission).kind, 'unauthenticated');
});
