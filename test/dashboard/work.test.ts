import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { BreakableRoad } from '../support/dashboard/breakable-road.ts';
import { DashboardStage, go, NO_BROWSER } from '../support/dashboard/dashboard-stage.ts';
import { until } from '../support/run-stage.ts';
import { taken } from '../support/taken.ts';

const SLOW = { skip: NO_BROWSER, timeout: 180_000 };
const stage = await DashboardStage.begin();
after(() => stage.assertNoFaults());

test('a task is made, watched while its agent works, and approved with a comment', SLOW, async () => {
  const page = await stage.page();
  await page.keyboard.press('n');
  await page
    .getByLabel('What is to be done')
    .fill(
      [
        'Greet people',
        '@think They like to be greeted.',
        '@wait',
        '@write hello.txt Hello',
        '@say I greeted them.',
      ].join('\n'),
    );
  await page.getByLabel(/^Checks/).fill('grep Hello hello.txt');
  await page.getByLabel('Plan').getByText('in a sandbox').waitFor();
  await page.getByRole('button', { name: 'Run it' }).click();
  await page.getByRole('heading', { name: 'Greet people' }).waitFor();
  await page.getByText('They like to be greeted.').waitFor();
  await page.getByText('I wait for your words.').waitFor();
  await page.keyboard.press('s');
  await page.getByLabel('Your words').fill('Say hello to Jane too.');
  await page.getByRole('button', { name: 'Say', exact: true }).last().click();
  await page.getByText('I was told: Say hello to Jane too.').waitFor();
  await page.getByText('I greeted them.').first().waitFor();
  await page.getByText('checked', { exact: false }).first().waitFor();
  await page.getByRole('link', { name: 'hello.txt' }).first().waitFor();
  await page.getByText('More', { exact: true }).click();
  await page.getByRole('button', { name: 'Apply with a comment…' }).click();
  await page.getByLabel('Your comment').fill('Well greeted.');
  await page.getByRole('button', { name: 'Apply', exact: true }).last().click();
  await page
    .locator('.note')
    .getByText(/applied: 1 file, approved by operator/)
    .waitFor();
  assert.equal(readFileSync(`${stage.repository.root}/hello.txt`, 'utf8'), 'Hello\n');
  const [newest] = taken(await stage.client.listTasks({ all: true, order: 'newest', limit: 1 })).tasks;
  assert.deepEqual([newest?.status, newest?.work], ['done', 'applied']);
  const { events } = taken(await stage.client.listEvents({ task: newest?.id ?? '', type: 'review.approved' }));
  assert.equal(events[0]?.payload.message, 'Well greeted.');
});

test('work is sent back with two comments on lines, and comes again', SLOW, async () => {
  const task = await stage.order(['Write a poem', '@write poem.txt roses\\nviolets\\nsugar', '@say Done.'], {
    worktree: true,
  });
  await stage.until(task, 'review');
  const page = await stage.page(`/tasks/${task}?show=diff`);
  await page.getByText('click a line number to comment').waitFor();
  for (const [line, text] of [
    ['1', 'capital letter'],
    ['3', 'honey is better'],
  ] as const) {
    await page.locator('.diff-gutter').getByText(line, { exact: true }).last().click();
    await page.getByLabel('Comment on this line').last().fill(text);
    await page.getByRole('button', { name: 'Add' }).click();
  }
  await page.getByText('2 comments to send back with it').waitFor();
  await page.getByRole('button', { name: 'Send back' }).click();
  await page.getByText('2 on lines: poem.txt:1, poem.txt:3').waitFor();
  await page.getByRole('button', { name: 'Send back' }).last().click();
  await page
    .locator('.note')
    .getByText(/sent back to claude with 2 points/)
    .waitFor();
  await page.getByText('1. poem.txt:1: capital letter').waitFor();
  await page.getByText('2. poem.txt:3: honey is better').waitFor();
  await stage.until(task, 'review');
  assert.equal(await page.getByText('2 comments to send back with it').count(), 0);
});

test('a failure is told in its own words, with the output of its check', SLOW, async () => {
  const task = await stage.order(['Fix it', '@write fixed.txt no', '@say Fixed.'], {
    worktree: true,
    retries: 0,
    checks: ['sh -c "echo expected 2 got 3; exit 1"'],
  });
  await stage.until(task, 'blocked');
  const page = await stage.page();
  const row = page.locator('[data-row]').filter({ hasText: 'Fix it' });
  await row
    .getByText(/exit 1/)
    .first()
    .waitFor();
  await row.getByRole('link', { name: /Fix it/ }).click();
  await page.getByText('✗ failed').first().waitFor();
  await page.getByText('expected 2 got 3').first().waitFor();
});

test('everything is stopped at once, and the page shows that it stopped', SLOW, async () => {
  const tasks = await Promise.all([
    stage.order(['One', '@sleep 600000']),
    stage.order(['Two', '@sleep 600000'], { worktree: true }),
  ]);
  for (const task of tasks) await stage.until(task, 'in-progress');
  const page = await stage.page();
  await page.getByRole('button', { name: 'Stop all' }).click();
  await page.getByRole('dialog').getByText('Two').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Stop all' }).click();
  await page.locator('.note').getByText('stopped 2 tasks').waitFor();
  await page.getByText('No agent is working.').waitFor();
  await until(async () => taken(await stage.client.listRuns({ live: true })).runs.length === 0);
});

test('two browsers see the same, and the later answer learns who was first', SLOW, async () => {
  const task = await stage.order(['Settle it', '@write settled.txt yes', '@say Done.'], { worktree: true });
  await stage.until(task, 'review');
  const [one, other] = await Promise.all([stage.page(), stage.page()]);
  const rowIn = (page: typeof one) => page.locator('[data-row]').filter({ hasText: 'Settle it' });
  await Promise.all([rowIn(one).waitFor(), rowIn(other).waitFor()]);
  await rowIn(other).hover();
  await rowIn(one).getByRole('button', { name: 'Apply' }).click();
  await rowIn(other).getByText('settled elsewhere').waitFor();
  assert.equal(await rowIn(other).getByRole('button', { name: 'Apply' }).count(), 0);
  assert.equal(taken(await stage.client.showTask({ task })).status, 'done');
});

test('a lost connection greys the page and says so, and nothing that happened meanwhile is missed', SLOW, async () => {
  const road = await BreakableRoad.open();
  const page = await stage.page('/events?type=task.created', { proxy: { server: road.url } });
  await page.getByText('● live').waitFor();
  road.cut();
  await page.getByText(/connection lost/).waitFor();
  await page.locator('.app[data-connection="lost"]').waitFor();
  const titles = Array.from({ length: 12 }, (_, at) => `Meanwhile ${at + 1}.`);
  for (const title of titles) taken(await stage.client.createTask({ title }));
  road.repair();
  await page.getByText('● live').waitFor();
  for (const title of titles) {
    const line = page.getByText(`created it: ${title}`, { exact: true });
    await line.waitFor();
    assert.equal(await line.count(), 1, title);
  }
});

test(
  'the timeline leads back to before the second turn, shows the difference first, and forward again',
  SLOW,
  async () => {
    const file = `${stage.repository.root}/steps.txt`;
    const task = await stage.order([
      'Take steps',
      '@write steps.txt one',
      '@wait',
      '@write steps.txt two',
      '@say Done.',
    ]);
    const page = await stage.page(`/tasks/${task}`);
    await page.getByText('I wait for your words.').waitFor();
    // The state after the first turn is recorded beside the running agent.
    const points = page.getByLabel('A point to rewind to');
    await points
      .getByText(/after turn \d/)
      .first()
      .waitFor({ state: 'attached' });
    taken(await stage.client.sayWords({ task, text: 'Go on.' }));
    await stage.until(task, 'review');
    assert.equal(readFileSync(file, 'utf8'), 'two\n');
    const first = await points
      .getByText(/after turn \d/)
      .first()
      .textContent();
    await points.selectOption({ label: first ?? '' });
    await page.getByRole('button', { name: 'Rewind to here…' }).click();
    await page.getByRole('dialog').getByText('+one').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Rewind', exact: true }).click();
    await page
      .locator('.note')
      .getByText(/rewound to point \d+: 1 file; point \d+ leads back/)
      .waitFor();
    assert.equal(readFileSync(file, 'utf8'), 'one\n');
    await points.selectOption({
      label:
        (await points
          .getByText(/before a rewind/)
          .last()
          .textContent()) ?? '',
    });
    await page.getByRole('button', { name: 'Rewind to here…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rewind', exact: true }).click();
    await until(async () => readFileSync(file, 'utf8') === 'two\n');
  },
);

test('keys do what buttons do: the first row is opened, back leads back', SLOW, async () => {
  const page = await stage.page();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/tasks\//);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.goBack();
  await page.getByRole('heading', { name: /Needs you/ }).waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  await page.keyboard.press('Escape');
  for (const [key, heading] of [
    ['b', 'Board'],
    ['e', 'Events'],
    ['a', 'Agents'],
    ['s', 'Sessions'],
  ] as const) {
    await page.keyboard.press('g');
    await page.keyboard.press(key);
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
  }
});

test('a search finds who changed a file', SLOW, async () => {
  const page = await stage.page();
  await page.keyboard.press('/');
  await page.getByRole('searchbox').fill('hello.txt');
  await page
    .getByRole('dialog')
    .getByText(/created by claude in \d+ Greet people/)
    .click();
  await page.waitForURL(/file=hello\.txt/);
  await page.locator('.diff-code').getByText('Hello').waitFor();
});

test('the board is narrowed by the address, and moves what the table allows', SLOW, async () => {
  const { id } = taken(await stage.client.createTask({ title: 'Sort the shelf' }));
  const page = await stage.page('/board?q=shelf');
  const card = page.locator('.card').filter({ hasText: 'Sort the shelf' });
  await card.waitFor();
  assert.equal(await page.locator('.card').count(), 1);
  await card.getByRole('combobox').selectOption('cancelled');
  await page.locator('.note').getByText(`${id} moved to cancelled`).waitFor();
  await until(async () => taken(await stage.client.showTask({ task: id })).status === 'cancelled');
  await page.getByLabel('Words of a title').fill('nothing like it');
  await page.waitForURL(/q=nothing/);
  await page.getByText('None fits.').first().waitFor();
  await go(page, '/board?q=shelf');
  await page.locator('.column').last().getByText('Sort the shelf').waitFor();
});

test('a node that works alone says how it joins others, and shows its federation once it has', SLOW, async () => {
  const page = await stage.page('/nodes');
  await page.getByText('baton node join ~/baton-shared').waitFor();
  const folder = mkdtempSync(join(tmpdir(), 'baton-federation-'));
  after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  const { nodeId } = taken(await stage.client.joinFederation({ transport: 'local', folder, node: 'left' }));
  await page.reload();
  await page.locator('.node.hub').getByText(nodeId).waitFor();
  await page
    .locator('.connection')
    .getByText(/(?<!not )connected/)
    .waitFor();
});
