// npm run bench -- dashboard [--tasks N] [--seconds N]
// The dashboard in Debian's Chromium against a node of its own: the first useful paint of Home with many tasks, the
// size of its code, and how long the page is busy at a time while events come. Ends with 1 when a bound is broken.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { type Browser, chromium, type Page } from 'playwright-core';
import { httpClient } from '../src/api/http/http-client.ts';
import { isRefusal } from '../src/domain/refusal.ts';
import { makeCaller } from './node/caller.ts';
import { type Daemon, startDaemon } from './node/daemon.ts';
import { isBroken, type Judgement } from './report/judgement.ts';
import { median } from './report/median.ts';
import { boundTable } from './report/table.ts';

const { values: flags } = parseArgs({
  options: { tasks: { type: 'string', default: '10000' }, seconds: { type: 'string', default: '5' } },
});
const TASKS = Number(flags.tasks);
const SECONDS = Number(flags.seconds);
const EVENTS_PER_SECOND = 2_000;
const PAINTS = 5;
const CONNECTIONS = 64;
const TURN_MS = 5;

/** Notes when the first row is painted. */
const OBSERVE = `
  new MutationObserver((_, self) => {
    if (!document.querySelector('.row')) return;
    self.disconnect();
    requestAnimationFrame(() => setTimeout(() => { window.paintedMs = performance.now(); }));
  }).observe(document, { childList: true, subtree: true });
`;

async function post(daemon: Daemon, count: number, perSecond: number): Promise<number> {
  const caller = makeCaller(daemon, CONNECTIONS);
  const pending = new Set<Promise<unknown>>();
  const startMs = performance.now();
  for (let made = 0; made < count; ) {
    const due = Math.min(count, ((performance.now() - startMs) / 1_000) * perSecond);
    for (; made < due; made++) {
      const call = caller.post('/v1/tasks', { title: `Task ${made}` }).finally(() => pending.delete(call));
      pending.add(call);
    }
    await sleep(TURN_MS);
  }
  await Promise.all(pending);
  caller.close();
  return count / ((performance.now() - startMs) / 1_000);
}

async function openPage(browser: Browser, daemon: Daemon): Promise<Page> {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 860 } })).newPage();
  await page.addInitScript({ content: OBSERVE });
  const link = await httpClient(daemon).createLink({});
  if (isRefusal(link)) throw new Error(link.message);
  await page.goto(link.url);
  await page.locator('.row').first().waitFor();
  return page;
}

/** Measures a page that is opened again: the browser is warm, its cache is not used. */
async function measurePaint(browser: Browser, daemon: Daemon): Promise<Judgement> {
  const figures: number[] = [];
  for (let at = 0; at < PAINTS; at++) {
    const page = await openPage(browser, daemon);
    let painted = null;
    while (painted === null) painted = (await page.evaluate('window.paintedMs ?? null')) as number | null;
    figures.push(painted);
    await page.context().close();
  }
  const what = `Home with ${TASKS.toLocaleString('en')} tasks: first useful paint, median of ${PAINTS}`;
  return { what, got: median(figures), bound: 1_000, sense: 'at most', unit: ' ms', weight: 'bound' };
}

/** Every script that the first page loads by itself. */
async function measureCode({ url }: Daemon): Promise<Judgement> {
  const index = await (await fetch(url)).text();
  const scripts = [...index.matchAll(/(?:src|href)="(\/assets\/[^"]+\.js)"/g)].map(([, path]) => path);
  let bytes = 0;
  for (const path of scripts) {
    bytes += gzipSync(Buffer.from(await (await fetch(`${url}${path}`)).arrayBuffer()), { level: 9 }).length;
  }
  const what = `code of the first page, ${scripts.length} files, compressed`;
  return { what, got: bytes / 1_024, bound: 200, sense: 'at most', unit: ' KiB', weight: 'bound' };
}

/** A task of a thread, as Chromium traces it; `tdur` is its processor time in microseconds. */
interface TracedTask {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/** Processor time of the tasks of the page's own thread, in milliseconds: what others run meanwhile does not count. */
function tasksOf(trace: Buffer): readonly number[] {
  const { traceEvents } = JSON.parse(trace.toString('utf8')) as { readonly traceEvents: readonly TracedTask[] };
  const pages = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  return traceEvents
    .filter(({ name, pid, tid, tdur }) => /RunTask$/.test(name) && tdur !== undefined && pages.has(`${pid} ${tid}`))
    .map(({ tdur = 0 }) => tdur / 1_000);
}

/** The longest that a page was busy at a time while events came. */
async function measureBusy(browser: Browser, daemon: Daemon, path: string): Promise<Judgement> {
  const page = await openPage(browser, daemon);
  await page.evaluate(`document.querySelector('nav a[href="${path}"]').click()`);
  await sleep(1_500);
  await browser.startTracing(page, { categories: ['devtools.timeline', 'toplevel'] });
  const rate = await post(daemon, SECONDS * EVENTS_PER_SECOND, EVENTS_PER_SECOND);
  await sleep(500);
  const tasks = tasksOf(await browser.stopTracing());
  await page.context().close();
  const over = tasks.filter((ms) => ms > 50).length;
  const what = `${path === '/' ? 'Home' : 'Events'}: longest task at ${Math.round(rate)} events/s (${over} of ${tasks.length} above 50 ms)`;
  return { what, got: Math.max(...tasks), bound: 100, sense: 'at most', unit: ' ms', weight: 'bound' };
}

const folder = mkdtempSync(join(tmpdir(), 'baton-bench-dashboard-'));
const daemon = await startDaemon(join(folder, 'data'));
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
try {
  await post(daemon, TASKS, Number.POSITIVE_INFINITY);
  const judgements = [
    await measurePaint(browser, daemon),
    await measureCode(daemon),
    await measureBusy(browser, daemon, '/'),
    await measureBusy(browser, daemon, '/events'),
  ];
  process.stdout.write(boundTable(judgements));
  if (judgements.some(isBroken)) process.exitCode = 1;
} finally {
  await browser.close();
  await daemon.stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}
