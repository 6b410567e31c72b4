import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { SharedNodes } from '../federation/shared-nodes.ts';
import { ROOT } from '../run-baton.ts';
import { taken } from '../taken.ts';
import { pagesOf, playScene } from './dashboard-scene.ts';
import { DashboardStage, go, NO_BROWSER } from './dashboard-stage.ts';
import { presentMany } from './nodes-scene.ts';

// npm run screenshots: the pictures of docs/pictures/, of real runs with scripted agents.

const FOLDER = join(ROOT, 'docs/pictures');
const WIDE = { viewport: { width: 1280, height: 800 } };
const PAGES = [
  'home',
  'task',
  'reviews',
  'failed',
  'running',
  'board',
  'sessions',
  'agents',
  'nodes',
  'events',
  'new-task',
];
const LOOKS = [
  { suffix: '', pages: PAGES, options: { ...WIDE, colorScheme: 'light' } },
  { suffix: '-dark', pages: ['home', 'task'], options: { ...WIDE, colorScheme: 'dark' } },
  {
    suffix: '-phone',
    pages: ['home', 'failed'],
    options: { viewport: { width: 390, height: 844 }, colorScheme: 'light' },
  },
] as const;

test('every page is pictured', { skip: NO_BROWSER, timeout: 300_000 }, async () => {
  mkdirSync(FOLDER, { recursive: true });
  const stage = await DashboardStage.begin({ budgets: { day_usd: 50 } });
  const scene = await playScene(stage);
  const shared = new SharedNodes('pictures');
  taken(await stage.client.joinFederation({ transport: 'local', folder: shared.folder, node: 'laptop' }));
  await presentMany(shared);
  for (const { suffix, pages, options } of LOOKS) {
    const page = await stage.page('/', options);
    for (const [name, path, shows] of pagesOf(scene)) {
      if (!(pages as readonly string[]).includes(name)) continue;
      await go(page, path);
      await page.locator(shows).first().waitFor({ state: 'attached' });
      // Parts that are loaded on demand, and the letters of their fonts.
      await page.waitForTimeout(700);
      await page.screenshot({ path: join(FOLDER, `${name}${suffix}.png`) });
    }
    await page.context().close();
  }
  await shared.close();
  stage.assertNoFaults();
});
