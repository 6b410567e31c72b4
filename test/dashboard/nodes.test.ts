import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { noNatsServer } from '../../scripts/nats-server.mjs';
import { DashboardStage, go, inPage, NO_BROWSER } from '../support/dashboard/dashboard-stage.ts';
import { faultsOf, HOSTILE, isWiderThanScreen, loadAxe, madeBy } from '../support/dashboard/inspect-page.ts';
import { listedFederation, presentMany } from '../support/dashboard/nodes-scene.ts';
import { ExternalStage, newKey, outcome } from '../support/external/external-client.ts';
import { SharedNodes } from '../support/federation/shared-nodes.ts';
import { TestBroker } from '../support/federation/test-broker.ts';
import { taken } from '../support/taken.ts';

const SLOW = { skip: NO_BROWSER, timeout: 120_000 };

/** A node of the map. */
function card(page: Page, name: string): Locator {
  return page.locator('.node-map a.node').filter({ has: page.locator(`strong[title="${name}"]`) });
}

/** The button of the open dialog. */
async function confirm(page: Page, word: RegExp): Promise<void> {
  await page.getByRole('dialog').getByRole('button', { name: word }).click();
}

// Made here, so that they end with the file and not with a test.
const shared = new SharedNodes('dashboard-nodes');
const lone = await DashboardStage.begin();
const stage = await DashboardStage.begin(listedFederation(shared, 'laptop'));
await stage.restart();
const tower = await shared.start('tower', 'emma');
after(async () => {
  await shared.close();
  for (const each of [lone, stage]) each.assertNoFaults();
});

test('a node that is alone says what a federation is, with the commands that begin one', SLOW, async () => {
  const alone = await lone.page('/nodes');
  await alone.getByText('This node works alone.').waitFor();
  await alone.getByText('baton node join nats://HOST:4222').waitFor();
  await alone.getByText('baton invite scout', { exact: false }).waitFor();
  await alone.context().close();
});

describe('the page of nodes, over a shared folder', { skip: NO_BROWSER, concurrency: 1 }, () => {
  let page: Page;

  test('the first node of a federation says that nobody else has joined', SLOW, async () => {
    page = await stage.page('/nodes');
    page.setDefaultTimeout(15_000);
    await page.getByText('No other node has joined yet.', { exact: false }).waitFor();
    await page.getByText('Nothing about other nodes needs you.').waitFor();
  });

  test(
    'a node that asks to be trusted stands in the queue; its key is compared, then it is trusted',
    SLOW,
    async () => {
      taken(await tower.client.joinFederation({ transport: 'local', folder: shared.folder, node: 'tower' }));
      const own = taken(await tower.client.nodeStatus());
      taken(await tower.client.sendMessage({ to: ['laptop'], body: 'hello' }));
      await go(page, '/');
      await page.getByText('node tower asks to be trusted').waitFor();
      await page.getByRole('button', { name: 'Compare keys' }).click();
      await card(page, 'tower').getByText('asks to be trusted').waitFor();
      await page.getByRole('button', { name: 'Trust…' }).click();
      const shown = await page.getByRole('dialog').locator('.key-line').textContent();
      assert.equal(shown?.replaceAll(' ', ''), own.keyId, 'the key is the one that the machine itself prints');
      await page.keyboard.press('Escape');
      assert.equal(
        taken(await stage.client.nodeStatus()).peers[0]?.trust,
        'known',
        'thinking better of it changes nothing',
      );
      await page.getByRole('button', { name: 'Trust…' }).click();
      await confirm(page, /trust it/);
      await card(page, 'tower').getByText('alive').waitFor();
      await page.getByText('Nothing about other nodes needs you.').waitFor();
      assert.equal(taken(await stage.client.nodeStatus()).peers[0]?.trust, 'trusted');
    },
  );

  test('a node shows its agents, its lag in both directions and its key', SLOW, async () => {
    await card(page, 'tower').click();
    const panel = page.locator('.node-panel');
    await panel.getByText('emma').waitFor();
    await panel.getByText('its heartbeats come').waitFor();
    assert.match(page.url(), /node=tower/, 'the address is the state');
    const lag = page.locator('section', { has: page.locator('#lag') });
    await lag.getByRole('row', { name: /laptop tower/ }).waitFor();
    await page.goBack();
    await panel.waitFor({ state: 'detached' });
  });

  test('something forged is told at once, and a person who has seen it dismisses it', SLOW, async () => {
    await shared.forgeFrame('tower', 'laptop', { epoch: 'z', seq: 9, prev: 8 });
    await page.getByText('node tower sent something that was refused').waitFor();
    await page.getByText('its seal is not that of its source', { exact: false }).waitFor();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await page.getByText('Nothing about other nodes needs you.').or(page.getByText('dismissed')).first().waitFor();
    assert.deepEqual(taken(await stage.client.nodeStatus()).incidents, []);
  });

  test('twenty nodes, a dead one among them, fit on the map without faults, wide and narrow', SLOW, async () => {
    await presentMany(shared);
    await card(page, 'fjord').getByText('dead').waitFor();
    await card(page, 'quartz').getByText('left').waitFor();
    // Nodes that are read later come with a later look at the page.
    await page.locator('.node-map a.node').nth(20).waitFor();
    assert.equal(await page.locator('.node-map a.node').count(), 21);
    // The style of another page, once loaded, stays.
    await go(page, '/tasks/TASK-2026-02-09-999');
    await page.getByText('could not be shown', { exact: false }).waitFor();
    await go(page, '/nodes?node=fjord&pairs=all&external=all');
    const top = async (name: string) => (await card(page, name).boundingBox())?.y ?? 0;
    await card(page, 'birch').waitFor();
    assert.equal((await top('birch')) - (await top('atlas')), 60, 'nodes stand where their lines end');
    await page.locator('.node-panel').getByText('no heartbeat for more than 90 s', { exact: false }).waitFor();
    await loadAxe(page);
    assert.deepEqual(await faultsOf(page), []);
    await page.setViewportSize({ width: 375, height: 700 });
    assert.equal(await isWiderThanScreen(page), false);
    await page.setViewportSize({ width: 1280, height: 860 });
    await page.getByLabel('Narrow the map').fill('dead');
    await card(page, 'atlas').waitFor({ state: 'detached' });
    assert.equal(await page.locator('.node-map a.node').count(), 2);
    await go(page, '/nodes');
  });

  test('words of other nodes are text, cut, and decide nothing', SLOW, async () => {
    const agents = Array.from({ length: 400 }, (_, at) => ({
      name: `${at} ${HOSTILE}`,
      role: HOSTILE,
      model: HOSTILE,
    }));
    const facts = { version: HOSTILE.repeat(50), agents, trust: 'trusted', standing: 'accepted', isOwner: true };
    await shared.present('mallory', facts);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await inPage(page, '{ window.hits = 0; window.hit = () => { window.hits++; }; }');
    await go(page, '/nodes?node=mallory');
    const panel = page.locator('.node-panel');
    await panel.getByText('and 350 more agents').waitFor();
    assert.deepEqual(await madeBy(page), []);
    assert.equal(await inPage(page, 'window.hits'), 0);
    assert.deepEqual(
      asked.filter((url) => !url.startsWith(stage.url)),
      [],
    );
    await panel.getByText('nothing of it is accepted before you trust it').waitFor();
  });

  test('a key that changes between the look and the word is not trusted', SLOW, async () => {
    await go(page, '/nodes?node=mallory');
    await page.locator('.node-panel').getByRole('button', { name: 'Trust…' }).click();
    await shared.present('mallory');
    await confirm(page, /trust it/);
    await page.locator('.note.refused').waitFor();
    const peer = taken(await stage.client.nodeStatus()).peers.find(({ nodeId }) => nodeId === 'mallory');
    assert.equal(peer?.trust, 'known');
  });

  test('a node is removed after a question, and nothing of it is accepted', SLOW, async () => {
    await go(page, '/nodes?node=tower');
    const panel = page.locator('.node-panel');
    await panel.getByRole('button', { name: 'Remove…' }).click();
    await confirm(page, /Remove it/);
    await card(page, 'tower').getByText('removed').waitFor();
    await panel.getByText('nothing of it is accepted').first().waitFor();
    const peer = taken(await stage.client.nodeStatus()).peers.find(({ nodeId }) => nodeId === 'tower');
    assert.equal(peer?.trust, 'removed');
  });

  test('an external agent is invited, joins, and is revoked', SLOW, async () => {
    await go(page, '/nodes');
    const scopes = ['task.read', 'task.claim'];
    const { invite } = taken(await stage.client.createInvite({ agent: 'scout', scopes }));
    const row = page.locator('.external-table tr').filter({ hasText: 'scout' });
    await row.getByText('invited').waitFor();
    const scout = new ExternalStage(stage.url, await newKey('ES256'));
    assert.equal(outcome(await scout.enrol(invite)), 'ok');
    await row.getByText('joined').waitFor();
    await page.setViewportSize({ width: 375, height: 700 });
    assert.equal(await isWiderThanScreen(page), false);
    await page.setViewportSize({ width: 1280, height: 860 });
    assert.equal(outcome(await scout.invoke('task.list')), 'ok');
    await row.getByRole('button', { name: 'Revoke scout' }).click();
    await confirm(page, /Revoke it/);
    await row.waitFor({ state: 'detached' });
    assert.notEqual(outcome(await scout.invoke('task.list')), 'ok');
    await page.getByRole('link', { name: '1 ended' }).click();
    await row.getByText('revoked').first().waitFor();
  });
});

test('over NATS the page says that the server is away, why, and that it is back', {
  ...SLOW,
  skip: NO_BROWSER || noNatsServer(),
}, async () => {
  const broker = await TestBroker.start();
  taken(await lone.client.joinFederation({ transport: 'nats', url: broker.url, node: 'laptop' }));
  const page = await lone.page('/nodes');
  await page.locator('.connection .checked').waitFor();
  await broker.kill();
  await page.getByText('What is sent meanwhile waits in the ledger.', { exact: false }).waitFor();
  await broker.up();
  await page.locator('.connection .checked').waitFor();
  await broker.kill();
});
