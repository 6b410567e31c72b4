import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestClock } from '../../../../test/support/test-clock.ts';
import {
  DASHBOARD_LINK_MS_MAX,
  DASHBOARD_TOKEN_IDLE_MS_MAX,
  DASHBOARD_TOKENS_MAX,
} from '../../../domain/http-limits.ts';
import { DashboardAccess } from './dashboard-access.ts';
import { isAsset, isPage } from './dashboard-paths.ts';

const NODE = 'http://127.0.0.1:4100';

function accessAt() {
  const clock = new TestClock();
  return { access: new DashboardAccess(clock), step: (ms: number) => clock.step(ms) };
}

function codeOf(url: string): string {
  return new URL(url).hash.slice('#link='.length);
}

function tokenFor(access: DashboardAccess): Buffer {
  const exchanged = access.exchange(codeOf(access.createLink(NODE).url));
  assert.ok(exchanged.kind === 'token');
  return Buffer.from(exchanged.token);
}

test('a link gives one token, once', () => {
  const { access } = accessAt();
  const link = access.createLink(NODE);
  assert.match(link.url, /^http:\/\/127\.0\.0\.1:4100\/#link=[\w-]{43}$/);
  assert.equal(access.isUsed(link.id), false);
  const first = access.exchange(codeOf(link.url));
  assert.ok(first.kind === 'token');
  assert.ok(access.isToken(Buffer.from(first.token)));
  assert.equal(access.isUsed(link.id), true);
  assert.deepEqual(access.exchange(codeOf(link.url)), { kind: 'link_used' });
});

test('a link expires, and what is no link is none', () => {
  const { access, step } = accessAt();
  const late = codeOf(access.createLink(NODE).url);
  step(DASHBOARD_LINK_MS_MAX - 1);
  assert.equal(access.exchange(codeOf(access.createLink(NODE).url)).kind, 'token');
  step(1);
  assert.deepEqual(access.exchange(late), { kind: 'link_expired' });
  for (const code of ['', 'x', late.slice(1), `${late} `])
    assert.deepEqual(access.exchange(code), { kind: 'link_unknown' });
});

test('neither the id of a link nor its code is a token', () => {
  const { access } = accessAt();
  const { id, url } = access.createLink(NODE);
  tokenFor(access);
  for (const given of [id, codeOf(url), '']) assert.equal(access.isToken(Buffer.from(given)), false);
  assert.deepEqual(access.exchange(id), { kind: 'link_unknown' });
});

test('a token lasts while it is used, and ends after a week without', () => {
  const { access, step } = accessAt();
  const token = tokenFor(access);
  step(DASHBOARD_TOKEN_IDLE_MS_MAX);
  assert.ok(access.isToken(token));
  step(DASHBOARD_TOKEN_IDLE_MS_MAX);
  assert.ok(access.isToken(token));
  step(DASHBOARD_TOKEN_IDLE_MS_MAX + 1);
  assert.equal(access.isToken(token), false);
  step(-2);
  assert.equal(access.isToken(token), false);
});

test('the token that was used longest ago makes room', () => {
  const { access, step } = accessAt();
  const [oldest, kept] = [tokenFor(access), tokenFor(access)];
  for (let made = 2; made < DASHBOARD_TOKENS_MAX; made++) tokenFor(access);
  step(1);
  assert.ok(access.isToken(oldest));
  tokenFor(access);
  assert.ok(access.isToken(oldest));
  assert.equal(access.isToken(kept), false);
});

test('pages and files are exactly those of the dashboard', () => {
  for (const url of [
    '/feedback/fbk_1',
    '/',
    '/?x=1',
    '/board',
    '/tasks/TASK-2026-02-09-057',
    '/tasks/57?show=diff',
    '/events',
    '/sessions/S-1',
    '/feedback/F-1',
  ])
    assert.ok(isPage(url), url);
  for (const url of ['/v1/status', '/v1', '/tasks/1/2', '/tasks/', '//', '/index.html', '/new/x', '/healthz/x'])
    assert.equal(isPage(url) || isAsset(url), false, url);
  for (const url of ['/assets/index-1a.js', '/icon.svg']) assert.ok(isAsset(url), url);
  for (const url of ['/assets/', '/assets/a/b', '/icon-svg', '/assets']) assert.equal(isAsset(url), false, url);
});
