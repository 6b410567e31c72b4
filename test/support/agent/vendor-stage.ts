import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { EventView } from '../../../src/api/contract.ts';
import { type BatonRun, linesOf, ROOT, runBaton } from '../run-baton.ts';
import { TestRepository } from '../test-repository.ts';

const VENDOR = join(ROOT, 'test/fixtures/vendors/vendor.mjs');
export const VENDORS = ['claude', 'codex', 'gemini', 'opencode'] as const;
export type Vendor = (typeof VENDORS)[number];

/** How far scripts/shifted-clock.mjs sets the clock of the tests ahead. NODE_OPTIONS do not reach a vendor's program. */
const AHEAD_MS = Number(/shifted-clock\.mjs\?ms=(\d+)/.exec(process.env['NODE_OPTIONS'] ?? '')?.[1] ?? 0);

const KEYS = { ANTHROPIC_API_KEY: 'a-key', OPENAI_API_KEY: 'a-key', GEMINI_API_KEY: 'a-key' };
const SESSIONS: Readonly<Record<Vendor, string>> = {
  claude: '.claude/projects',
  codex: '.codex/sessions',
  gemini: '.gemini/tmp',
  opencode: '.local/share/opencode',
};

/** A repository, and a new home on a machine with stand-ins for the vendors' programs on the PATH: nothing is configured. */
export class VendorStage {
  readonly home: string;
  readonly #programs: string;
  readonly repository = new TestRepository();

  constructor(t: TestContext) {
    this.home = mkdtempSync(join(tmpdir(), 'baton-vendor-home-'));
    t.after(() => rmSync(this.home, { recursive: true, force: true, maxRetries: 10 }));
    this.#programs = mkdtempSync(join(tmpdir(), 'baton-vendors-'));
    t.after(() => rmSync(this.#programs, { recursive: true, force: true, maxRetries: 10 }));
    const text = `#!${process.execPath}\nglobalThis.clockAheadMs = ${AHEAD_MS};\n${readFileSync(VENDOR, 'utf8')}`;
    for (const name of VENDORS) writeFileSync(join(this.#programs, name), text, { mode: 0o755 });
  }

  get root(): string {
    return this.repository.root;
  }

  baton(...args: string[]): Promise<BatonRun> {
    const PATH = `${this.#programs}:${process.env['PATH']}`;
    const environment = { HOME: this.home, PATH, BATON_RUN: '', BATON_DATA: '', ...KEYS };
    return runBaton(args, { folder: this.root, environment });
  }

  /** The user's own configuration, as YAML. */
  configure(settings: string): void {
    const folder = join(this.home, '.config', 'baton');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'config.yaml'), settings);
  }

  /** A message in a file beside the repository. */
  write(message: object): string {
    const file = join(this.home, 'message.json');
    writeFileSync(file, JSON.stringify(message));
    return file;
  }

  async json<Value>(...args: string[]): Promise<Value> {
    return linesOf<Value>(await this.baton(...args, '--json'))[0] as Value;
  }

  async events(task: string, type: string): Promise<readonly EventView[]> {
    return linesOf<EventView>(await this.baton('events', '--task', task, '--type', type, '--json'));
  }

  /** The prompts of each session that a vendor still has, oldest turn first. */
  prompts(vendor: Vendor): readonly (readonly string[])[] {
    const folder = join(this.home, SESSIONS[vendor]);
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
      /[0-9a-f-]{36}\.json$/.test(file),
    );
    return files.map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')).prompts);
  }
}
