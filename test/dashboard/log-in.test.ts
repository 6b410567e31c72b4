import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { DashboardStage, inPage, NO_BROWSER } from '../support/dashboard/dashboard-stage.ts';

const stage = await DashboardStage.begin();
after(() => stage.assertNoFaults());

test('a link opens the first page, once, and leaves no trace in address, history, cookies or log', {
  skip: NO_BROWSER,
}, async () => {
  const link = await stage.link();
  const page = await stage.stranger();
  const asked: string[] = [];
  page.on('request', (request) => asked.push(`${request.url()} ${JSON.stringify(request.headers())}`));
  await page.goto(link);
  await page.getByText('Nothing has happened here yet').waitFor();
  assert.equal(page.url(), `${stage.url}/`);
  const code = new URL(link).hash.slice('#link='.length);
  const held = await inPage<Record<string, string | number>>(
    page,
    '({ ...sessionStorage, cookie: document.cookie, local: localStorage.length })',
  );
  assert.equal(held.cookie, '');
  assert.equal(held.local, 0);
  const token = held['baton.token'] as string;
  assert.match(token, /^[\w-]{43}$/);
  assert.ok(asked.every((each) => !each.split(' ')[0]?.includes(token) && !each.split(' ')[0]?.includes(code)));
  assert.ok(asked.every((each) => !/"referer":"[^"]*(link|token)/.test(each)));
  assert.deepEqual(await page.context().cookies(), []);
  const log = stage.run.daemon?.stderr ?? '';
  assert.ok(!log.includes(token) && !log.includes(code));
  assert.ok(!readFileSync(join(stage.run.data.path, 'node.json'), 'utf8').includes(token));

  const second = await stage.stranger();
  await second.goto(link);
  await second.getByRole('heading', { name: 'This link was used already' }).waitFor();
  await page.reload();
  await page.getByText('● live').waitFor();
});

test('without a link, with a wrong one and with a torn one the page says how to get in', {
  skip: NO_BROWSER,
}, async () => {
  const page = await stage.stranger();
  await page.goto(`${stage.url}/board`);
  await page.getByRole('heading', { name: 'This browser is not logged in' }).waitFor();
  await page.getByText('baton open', { exact: true }).first().waitFor();
  const other = await stage.stranger();
  await other.goto(`${stage.url}/#link=${'x'.repeat(43)}`);
  await other.getByRole('heading', { name: 'This link is not of this node' }).waitFor();
  assert.equal(other.url(), `${stage.url}/`);
});

test('at an address without a page the page says so', { skip: NO_BROWSER }, async () => {
  const page = await stage.page();
  const answer = await page.goto(`${stage.url}/no/such page`);
  assert.equal(answer?.status(), 404);
  await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
  await page.getByText('/no/such page').waitFor();
  await page.getByRole('link', { name: 'Home' }).first().click();
  await page.getByText('Nothing has happened here yet').waitFor();
  const other = await stage.stranger();
  await other.goto(`${stage.url}/search`);
  await other.getByRole('heading', { name: 'This browser is not logged in' }).waitFor();
});

test('a page that is opened from another tab of the node is logged in', { skip: NO_BROWSER }, async () => {
  const page = await stage.page();
  const tab = await page.context().newPage();
  await tab.goto(`${stage.url}/board?status=done`);
  await tab.getByText('● live').waitFor();
  assert.equal(tab.url(), `${stage.url}/board?status=done`);
});

test('a restarted node knows none of the earlier tokens, and the page says so', { skip: NO_BROWSER }, async () => {
  const page = await stage.page();
  const { port } = new URL(stage.url);
  await stage.run.daemon?.end();
  await page.getByText(/connection lost/).waitFor();
  const { TestDaemon } = await import('../support/test-daemon.ts');
  stage.run.daemon = await TestDaemon.start(stage.run.data.path, '--port', port);
  await page.getByRole('heading', { name: 'You were logged out' }).waitFor();
  assert.equal(await inPage(page, 'sessionStorage.length'), 0);
});
