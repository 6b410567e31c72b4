import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { pagesOf, playScene, type Scene } from '../support/dashboard/dashboard-scene.ts';
import { DashboardStage, go, inPage, NO_BROWSER } from '../support/dashboard/dashboard-stage.ts';
import { DECEIVES, faultsOf, HOSTILE, isWiderThanScreen, loadAxe, madeBy } from '../support/dashboard/inspect-page.ts';
import { taken } from '../support/taken.ts';
import { noBubblewrap } from '../support/test-process.ts';

const SLOW = { skip: NO_BROWSER || noBubblewrap, timeout: 240_000 };

const stage = await DashboardStage.begin({ budgets: { day_usd: 50 } });
after(() => stage.assertNoFaults());

let scene: Scene;

test('every page in both themes is free of faults for people who use a keyboard or a screen reader', SLOW, async () => {
  scene = await playScene(stage);
  const page = await stage.page('/', { colorScheme: 'light' });
  await loadAxe(page);
  const found: string[] = [];
  for (const [name, path, shows] of pagesOf(scene)) {
    await go(page, path);
    await page.locator(shows).first().waitFor({ state: 'attached' });
    found.push(...(await faultsOf(page)).map((fault) => `${name}, ${fault}`));
  }
  assert.deepEqual(found, []);
});

test('on a phone no page is wider than the screen', SLOW, async () => {
  const page = await stage.page('/', { viewport: { width: 375, height: 700 } });
  const wide: string[] = [];
  for (const [name, path, shows] of pagesOf(scene)) {
    await go(page, path);
    await page.locator(shows).first().waitFor({ state: 'attached' });
    if (await isWiderThanScreen(page)) wide.push(name);
  }
  assert.deepEqual(wide, []);
});

test('the bar is one row on a tablet and two on a phone while an agent works', SLOW, async () => {
  const heights: Record<number, number> = {};
  for (const width of [1280, 800, 375]) {
    const page = await stage.page('/', { viewport: { width, height: 700 } });
    await page.getByRole('button', { name: 'Stop all' }).waitFor();
    heights[width] = await inPage<number>(page, "document.querySelector('.top').offsetHeight");
    await page.context().close();
  }
  assert.equal(heights[800], heights[1280]);
  assert.ok((heights[375] ?? Infinity) < 2 * (heights[1280] ?? 0), JSON.stringify(heights));
});

test('the head of a task has its model and cost, also while its agent works', SLOW, async () => {
  const page = await stage.page(`/tasks/${scene.running}`);
  const fact = (name: string) => page.locator('.task-facts div').filter({ has: page.getByText(name, { exact: true }) });
  await fact('agent').getByText('claude-opus').waitFor();
  await go(page, `/tasks/${scene.review}`);
  await fact('cost')
    .getByText(/\$0\.\d\d, .* tokens/)
    .waitFor();
});

test('the board tells the verdict on work in the words of the terminal', SLOW, async () => {
  const page = await stage.page('/board');
  const card = (title: string) => page.locator('.card').filter({ hasText: title });
  await card('Write the changelog').getByText('✓ checked').waitFor();
  await card('Port the parser').getByText('✗ failed').waitFor();
  await card('Add tests for money.js').getByText('○ unchecked').waitFor();
  assert.equal(await card('Fix the flaky login test').locator('.verdict').count(), 0);
});

test('the checks say which files of the work they use, and what they say without them', SLOW, async () => {
  const page = await stage.page(`/tasks/${scene.review}?show=checks`);
  const told = page.locator('.changed-tests');
  await told.getByText('! The work changed 1 file that its checks use').waitFor();
  await told.getByText('without this change a check fails: grep -c rounds test/money.test.js: exit 1').waitFor();
  const { width, right } = await inPage<{ width: number; right: number }>(
    page,
    `{
      const [told, panel] = ['.changed-tests', '.panel-body'].map((each) => document.querySelector(each));
      ({ width: told.scrollWidth - told.clientWidth, right: told.getBoundingClientRect().right - panel.getBoundingClientRect().right })
    }`,
  );
  assert.ok(width <= 0 && right <= 0, `${width} ${right}`);
  await told.getByRole('link', { name: 'test/money.test.js' }).click();
  await page.waitForURL(/show=diff.*file=test%2Fmoney\.test\.js/);
});

const CODES = '\\033]8;;javascript:hit()\\007link\\033]8;;\\007 \\033[2J\\033]52;c;aGl0\\007 \\033[31mred';

test('text of agents and people is inert on every page, and the same text in the terminal', SLOW, async () => {
  taken(await stage.client.stopOrder({ task: scene.running }));
  await stage.withoutSandbox();
  const task = await stage.order(
    [
      `Title ${HOSTILE}`,
      `@think ${HOSTILE}`,
      `@bash printf '%s ${CODES}' '${HOSTILE}'`,
      `@write a<b>.txt ${HOSTILE}`,
      `@print ${HOSTILE}`,
      `@ask echo ${HOSTILE.replaceAll(/[()<>!&;{}]/g, ' ')} ; true`,
      `@say ${HOSTILE}`,
    ],
    { retries: 0, checks: [`sh -c "printf '%b' '${CODES}'; exit 1"`] },
  );
  const page = await stage.page();
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await inPage(page, '{ window.hits = 0; window.hit = () => { window.hits++; }; }');
  const row = page
    .locator('[data-row]')
    .filter({ hasText: 'asks' })
    .or(page.locator('[data-row]').filter({ hasText: 'question' }));
  await row.first().getByRole('button', { name: /Allow/ }).click();
  await stage.until(task, 'blocked', 'review');
  taken(await stage.client.sayWords({ task, text: HOSTILE }));
  taken(await stage.client.createTask({ title: `Other ${HOSTILE}`, body: HOSTILE, agent: 'claude' }));
  const pages = pagesOf({ ...scene, review: task, failed: task, running: task });
  const more = [
    ['search', `/board?q=${encodeURIComponent(HOSTILE)}`, 'h1'],
    ['about', `/tasks/${task}?show=about`, '.panel-body'],
  ] as const;
  const found: string[] = [];
  for (const [, path, shows] of [...pages, ...more]) {
    await go(page, path);
    await page.locator(shows).first().waitFor({ state: 'attached' });
    found.push(...(await madeBy(page)).map((made) => `${path}: ${made}`));
  }
  assert.deepEqual(found, []);
  assert.equal(await inPage(page, 'window.hits'), 0);
  assert.deepEqual(
    asked.filter((url) => !url.startsWith(stage.url)),
    [],
  );
  await go(page, `/tasks/${task}`);
  await page.getByText('<img src=x onerror=hit()>').first().waitFor();
  for (const command of [
    ['status'],
    ['task', 'show', task],
    ['logs', task],
    ['trace', task],
    ['events'],
    ['diff', task],
  ]) {
    const { stdout } = await stage.run.data.run(command);
    assert.doesNotMatch(stdout, DECEIVES, command.join(' '));
  }
});
