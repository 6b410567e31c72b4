import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { needDebianPackages, reason } from '../../../scripts/debian-packages.mjs';
import type { NodeClient } from '../../../src/api/node-client.ts';
import { isRefusal } from '../../../src/domain/refusal.ts';
import { ROOT } from '../run-baton.ts';
import { RunStage, until } from '../run-stage.ts';
import { taken } from '../taken.ts';
import { TestDaemon } from '../test-daemon.ts';
import { TestRepository } from '../test-repository.ts';

const CHROMIUM = '/usr/bin/chromium';
const FLAGS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync'],
];

/** The reason to skip a test that needs a browser, or false. */
export const NO_BROWSER: string | false = existsSync(CHROMIUM) ? false : reason(needDebianPackages(['chromium']));

// The login of the agents.
process.env.ANTHROPIC_API_KEY = 'sk-ant-fixture-key-0123456789';

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

  static async begin(settings: object = {}): Promise<DashboardStage> {
    const repository = new TestRepository();
    const stage = new DashboardStage(repository, await RunStage.within(repository.root));
    stage.configure(settings);
    return stage;
  }

  /** The node reads its settings anew. */
  async restart(): Promise<void> {
    await this.run.daemon?.end();
    this.run.daemon = await TestDaemon.start(this.run.data.path);
  }

  /** Its agents run without a sandbox from now on, so that they ask before they run a command. */
  async withoutSandbox(): Promise<void> {
    await this.run.daemon?.end();
    const hidden = ['--dev-bind', '/', '/', '--ro-bind', '/dev/null', '/usr/bin/bwrap'];
    this.run.daemon = TestDaemon.spawnBy(['bwrap', '--die-with-parent', ...hidden, '--'], this.run.data.path);
    assert.ok(await this.run.daemon.isUp(), this.run.daemon.stderr);
  }

  /** Agents that do what the lines of their prompt say, under the names of vendors. */
  configure(settings: object = {}): void {
    const command = [process.execPath, join(ROOT, 'test/fixtures/vendors/scripted-claude.mjs')];
    const agents = Object.fromEntries(
      ['claude', 'codex', 'gemini'].map((name) => [name, { driver: 'claude', command }]),
    );
    const config = { agents, default_agent: 'claude', ...settings };
    writeFileSync(join(this.run.data.path, 'config.yaml'), JSON.stringify(config));
  }

  /** Has an agent work; resolves with the name of the task. */
  async order(lines: readonly string[], more: object = {}): Promise<string> {
    const request = { text: lines.join('\n'), workspace: this.repository.root, agent: 'claude', ...more };
    return taken(await this.client.submitOrder({ reviewRequired: true, ...request })).task.id;
  }

  /** Until a task has one of the statuses, and its report is written. */
  async until(task: string, ...statuses: readonly string[]): Promise<void> {
    await until(async () => {
      const { status } = taken(await this.client.showTask({ task }));
      if (!statuses.includes(status)) return false;
      const report = await this.client.orderReport({ task });
      return status === 'in-progress' || isRefusal(report) || report.isOver;
    });
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
    return taken(await this.client.createLink({})).url;
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
