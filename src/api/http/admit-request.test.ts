import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import type { TaskName } from '../../domain/task.ts';
import { admitRequest, callerOf } from './admit-request.ts';
import { RunPasses } from './run-passes.ts';

const TOKEN = 'a-token-of-a-good-length-0123456789';
const ADMISSION = {
  hosts: new Set(['127.0.0.1:4100', 'localhost:4100']),
  origins: new Set(['http://127.0.0.1:4100', 'http://localhost:4100']),
  token: Buffer.from(TOKEN),
  passes: new RunPasses(),
};

function request(given: { method?: string; url?: string; headers?: Record<string, string> }): IncomingMessage {
  const headers = { host: '127.0.0.1:4100', authorization: `Bearer ${TOKEN}`, ...given.headers };
  const rawHeaders = Object.entries(headers).flat();
  return { method: 'GET', url: '/v1/status', ...given, headers, rawHeaders } as unknown as IncomingMessage;
}

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
  ['an upgrade', { headers: { upgrade: 'websocket' } }, 'bad_request'],
];

for (const [name, given, expected] of CASES) {
  test(`${name}: ${expected ?? 'comes in'}`, () => {
    const answer = admitRequest(request(given), ADMISSION);
    assert.equal(typeof answer === 'string' ? answer : null, expected);
  });
}

test('only the whole token is the token', () => {
  assert.equal(callerOf(`Bearer ${TOKEN}`, ADMISSION).kind, 'operator');
  assert.equal(callerOf(`bearer ${TOKEN}`, ADMISSION).kind, 'operator');
  for (const given of [
    undefined,
    '',
    'Bearer',
    TOKEN,
    `Bearer ${TOKEN}0`,
    `Bearer ${TOKEN.slice(1)}`,
    `Basic ${TOKEN}`,
  ])
    assert.equal(callerOf(given, ADMISSION).kind, 'nobody');
});

test('the token of a run is for its own task, by its own names, and dead once it is released', () => {
  const passes = new RunPasses();
  const admission = { ...ADMISSION, passes };
  const holder = {
    taskId: 'TASK-2026-02-09-001' as TaskName,
    taskUid: 'tsk_01KGQ7M3XVN5Y8T2B4C6D8F0G1',
    runId: 'run_1',
    agent: 'emma',
  };
  const authorization = `Bearer ${passes.admit(holder)}`;
  const asks = (line: string, headers: Record<string, string> = {}) => {
    const [method = '', url = ''] = line.split(' ');
    const answer = admitRequest(request({ method, url, headers: { authorization, ...headers } }), admission);
    return typeof answer === 'string' ? answer : answer.kind;
  };
  for (const line of OWN) assert.equal(asks(line), 'run', line);
  for (const line of OTHERS) assert.equal(asks(line), 'scope_denied', line);
  assert.equal(asks('POST /v1/messages', { 'baton-run': 'run_1' }), 'run');
  assert.equal(asks('POST /v1/messages', { 'baton-run': 'run_2' }), 'scope_denied', 'another run');
  assert.equal(asks('POST /v1/messages', { host: 'evil.test' }), 'forbidden_host');
  assert.equal(asks('GET /healthz', { origin: 'http://evil.test' }), 'forbidden_origin');
  const [earlier, later] = [authorization, `Bearer ${passes.admit(holder)}`];
  assert.deepEqual(
    [earlier, later].map((given) => callerOf(given, admission).kind),
    ['nobody', 'run'],
  );
  passes.release('run_1');
  assert.equal(callerOf(later, admission).kind, 'nobody');
});

const OWN = [
  'GET /healthz',
  'POST /v1/messages',
  'POST /v1/messages?tree=wait',
  'GET /v1/tasks/TASK-2026-02-09-001',
  'GET /v1/tasks/tsk_01KGQ7M3XVN5Y8T2B4C6D8F0G1',
  'POST /v1/tasks/TASK-2026-02-09-001/beat',
  'POST /v1/tasks/TASK-2026-02-09-001/end',
];
const OTHERS = [
  'GET /v1/messages',
  'GET /v1/tasks',
  'POST /v1/tasks',
  'GET /v1/tasks/TASK-2026-02-09-002',
  'GET /v1/tasks/1',
  'GET /v1/tasks/@',
  'GET /v1/tasks/task-2026-02-09-001',
  'GET /v1/tasks/TASK-2026-02-09-001/',
  'GET /v1/tasks/TASK-2026-02-09-001/log',
  'GET /v1/tasks/TASK-2026-02-09-001/report',
  'GET /v1/tasks/TASK-2026-02-09-001/../TASK-2026-02-09-002',
  'GET /v1/tasks/TASK-2026-02-09-001%2f..%2fTASK-2026-02-09-002',
  'PATCH /v1/tasks/TASK-2026-02-09-001',
  'DELETE /v1/tasks/TASK-2026-02-09-001',
  'HEAD /v1/tasks/TASK-2026-02-09-001',
  'POST /v1/tasks/TASK-2026-02-09-001',
  'POST /v1/tasks/TASK-2026-02-09-001/claim',
  'POST /v1/tasks/TASK-2026-02-09-001/move',
  'POST /v1/tasks/TASK-2026-02-09-001/undo',
  'POST /v1/tasks/TASK-2026-02-09-001/verify',
  'POST /v1/tasks/TASK-2026-02-09-002/beat',
  'POST /v1/tasks/TASK-2026-02-09-001/beat/../../TASK-2026-02-09-002/end',
  'GET /v1/status',
  'GET /v1/events?after=0',
  'GET /v1/runs',
  'GET /v1/tree/settled',
  'POST /v1/orders',
  'POST /v1/orders/plan',
  'POST /v1/backup',
  'POST /v1/rebuild',
  'GET /nowhere',
];
