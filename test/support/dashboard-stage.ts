import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after } from 'node:test';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { needDebianPackages, reason } from '../../scripts/debian-packages.mjs';
import { askLink } from '../../src/api/http/dashboard/ask-link.ts';
import type { NodeClient } from '../../src/api/node-client.ts';
import { RunStage } from './run-stage.ts';
import { TestRepository } from './test-repository.ts';

const CHROMIUM = '/usr/bin/chromium';
const FLAGS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync'],
];

/** The reason to skip a test that needs a browser, or false. */
export const NO_BROWSER: string | false = existsSync(CHROMIUM) ? false : reason(needDebianPackages(['chromium']));

let started: Promise<Browser> | null = null;
// Asked for here, so that it belongs to the file and not to the first test that opens a page.
after(async () => {
  await (await started)?.close();
});

/** One browser for all tests of a file; each page has a profile of its own. */
export function browser(): Promise<Browser> {
  started ??= chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  return started;
}

/** Errors that the browser reports: of scripts, of the content security policy, of files that are missing. */
const EXPECTED = /net::ERR_|status of (4\d\d|503)/;

/** A repository, its node with fixture agents, and a real browser in front of it. */
export class DashboardStage {
  readonly repository: TestRepository;
  readonly run: RunStage;
  readonly faults: string[] = [];

  private constructor(repository: TestRepository, run: RunStage) {
    this.repository = repository;
    this.run = run;
  }

  static async begin(): Promise<DashboardStage> {
    const repository = new TestRepository();
    return new DashboardStage(repository, await RunStage.within(repository.root));
  }

  get client(): NodeClient {
    const { daemon } = this.run;
    if (!daemon) throw new Error('the node is not up');
    return daemon.client;
  }

  get url(): string {
    return this.run.daemon?.facts.url ?? '';
  }

  async link(): Promise<string> {
    const { daemon } = this.run;
    if (!daemon) throw new Error('the node is not up');
    return (await askLink(daemon.facts)).url;
  }

  /** A page of a browser that was never here. */
  async stranger(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await (await browser()).newContext({ viewport: { width: 1280, height: 860 }, ...options });
    const page = await context.newPage();
    page.on('pageerror', (error) => this.faults.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error' && !EXPECTED.test(message.text())) this.faults.push(message.text());
    });
    return page;
  }

  /** A page of somebody who is logged in. */
  async page(path = '/', options: BrowserContextOptions = {}): Promise<Page> {
    const page = await this.stranger(options);
    await page.goto(await this.link());
    await page.getByText('● live').waitFor();
    if (path !== '/') await go(page, path);
    return page;
  }

  assertNoFaults(): void {
    assert.deepEqual(this.faults, []);
  }
}

/** Goes to another page of the dashboard as a link of it would. */
export async function go(page: Page, path: string): Promise<void> {
  await inPage(
    page,
    `{
    const link = document.createElement('a');
    link.href = ${JSON.stringify(path)};
    document.body.append(link);
    link.click();
    link.remove();
  }`,
  );
}

/** Runs a script in the page, as text: the types of the browser are not those of these tests. */
export async function inPage<Value>(page: Page, script: string): Promise<Value> {
  return (await page.evaluate(script)) as Value;
}
