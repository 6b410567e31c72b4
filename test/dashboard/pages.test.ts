import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { pagesOf, playScene, type Scene } from '../support/dashboard-scene.ts';
import { DashboardStage, go, inPage, NO_BROWSER } from '../support/dashboard-stage.ts';
import { taken } from '../support/taken.ts';
import { noBubblewrap } from '../support/test-process.ts';

const SLOW = { skip: NO_BROWSER || noBubblewrap, timeout: 240_000 };
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const stage = await DashboardStage.begin({ budgets: { day_usd: 50 } });
after(() => stage.assertNoFaults());

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** The faults that axe finds, one line each; in the second theme only those of colours can differ. */
async function faultsOf(page: Page, rules: readonly string[]): Promise<string[]> {
  const only = rules.length === 0 ? '{}' : JSON.stringify({ runOnly: { type: 'rule', values: rules } });
  const { violations } = await inPage<{ violations: readonly Violation[] }>(page, `axe.run(document, ${only})`);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
}

let scene: Scene;

test('every page in both themes is free of faults for people who use a keyboard or a screen reader', SLOW, async () => {
  scene = await playScene(stage);
  const page = await stage.page('/', { colorScheme: 'light' });
  await inPage(page, AXE);
  const found: string[] = [];
  for (const [name, path, shows] of pagesOf(scene)) {
    await go(page, path);
    await page.locator(shows).first().waitFor({ state: 'attached' });
    for (const [theme, rules] of [
      ['light', []],
      ['dark', ['color-contrast']],
    ] as const) {
      await page.emulateMedia({ colorScheme: theme });
      found.push(...(await faultsOf(page, rules)).map((fault) => `${name}, ${theme}: ${fault}`));
    }
  }
  assert.deepEqual(found, []);
});

test('on a phone no page is wider than the screen', SLOW, async () => {
  const page = await stage.page('/', { viewport: { width: 375, height: 700 } });
  const wide: string[] = [];
  for (const [name, path, shows] of pagesOf(scene)) {
    await go(page, path);
    await page.locator(shows).first().waitFor({ state: 'attached' });
    if (await inPage<boolean>(page, 'document.documentElement.scrollWidth > innerWidth')) wide.push(name);
  }
  assert.deepEqual(wide, []);
});

/** Text that would run, load, link, hide or turn around something, if a page took it for more than text. */
const HOSTILE = [
  '<img src=x onerror=hit()>',
  '<svg onload=hit()>',
  '<script>hit()</script>',
  '[a link](javascript:hit())',
  '![i](https://evil.example/i.png)',
  'https://evil.example/',
  '{{hit()}}',
  'rtl\u202etxt',
  'bell\u0007',
  'zero\u200bwidth',
].join(' ');
const CODES = '\\033]8;;javascript:hit()\\007link\\033]8;;\\007 \\033[2J\\033]52;c;aGl0\\007 \\033[31mred';

/** Everything in a page that text of an agent may not become. */
const MADE = `[...document.querySelectorAll(
  'img, iframe, object, embed, base, form[action], [onerror], [onload], [onclick], a[href^="javascript"], [href*="evil"], main svg[onload]'
)].map(({ outerHTML }) => outerHTML.slice(0, 100))`;
const DECEIVES = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

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
    const shown = await inPage<string>(page, 'document.body.textContent');
    if (DECEIVES.test(shown)) found.push(`${path}: ${JSON.stringify(DECEIVES.exec(shown))}`);
    found.push(...(await inPage<string[]>(page, MADE)).map((made) => `${path}: ${made}`));
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
