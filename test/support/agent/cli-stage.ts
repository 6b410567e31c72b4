import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after } from 'node:test';
import { agentCliBin } from '../../../scripts/agent-clis.mjs';
import { scratchFolder } from '../data-folder.ts';
import { BATON, type BatonRun, linesOf } from '../run-baton.ts';
import { type OrderRun, orderRun } from '../run-stage.ts';
import type { ModelStep } from '../scripted-model/model-step.ts';
import { ScriptedModel } from '../scripted-model/scripted-model.ts';
import { TestRepository } from '../test-repository.ts';
import type { VendorCli } from './vendor-cli.ts';

/** The tests' own state folder holds; nothing else of the developer's environment reaches Baton or an agent. */
const VARIABLES = { XDG_STATE_HOME: process.env.XDG_STATE_HOME ?? '' };

/** A user with a home of its own, a repository, and vendors' programs whose models follow a script. */
export class CliStage {
  readonly home: string;
  /** The folder of temporary files: whatever a run leaves in it. */
  readonly temporary: string;
  readonly repository = new TestRepository();
  readonly models = new Map<string, ScriptedModel>();
  readonly #variables: Record<string, string>;

  private constructor(name: string) {
    this.home = join(scratchFolder(`vendor-${name}`), 'home');
    this.temporary = join(dirname(this.home), 'tmp');
    for (const folder of [this.home, this.temporary]) mkdirSync(folder);
    const { LANG = 'C.UTF-8' } = process.env;
    const path = `${dirname(process.execPath)}:/usr/bin:/bin`;
    const places = { HOME: this.home, TMPDIR: this.temporary, PATH: path };
    this.#variables = { ...places, LANG, TERM: 'dumb', TZ: 'UTC', ...VARIABLES };
  }

  static async begin(vendors: readonly VendorCli[], steps: readonly ModelStep[] = []): Promise<CliStage> {
    const stage = new CliStage(vendors.map(({ name }) => name).join('-'));
    for (const vendor of vendors) await stage.#add(vendor);
    stage.model.follow(steps);
    return stage;
  }

  async #add(vendor: VendorCli): Promise<void> {
    const model = await ScriptedModel.start();
    this.models.set(vendor.name, model);
    Object.assign(this.#variables, vendor.settle(this.home, model.url));
    this.#variables.PATH = `${agentCliBin(vendor.name)}:${this.#variables.PATH}`;
  }

  /** The model of the first vendor. */
  get model(): ScriptedModel {
    const [model] = this.models.values();
    if (!model) throw new Error('no vendor was added');
    return model;
  }

  /** The whole environment of the user. */
  get variables(): Readonly<Record<string, string>> {
    return this.#variables;
  }

  /** Starts a command of Baton in the repository. */
  start(...args: string[]): StartedBaton {
    return new StartedBaton(args, { cwd: this.repository.root, env: this.#variables });
  }

  baton(...args: string[]): Promise<BatonRun> {
    return this.start(...args).ended;
  }

  /** `baton run` with words for the first vendor, and its RESPONSE. */
  async run(...flags: string[]): Promise<OrderRun> {
    return orderRun(await this.startRun(...flags).ended);
  }

  startRun(...flags: string[]): StartedBaton {
    const [agent = ''] = this.models.keys();
    return this.start('run', 'Do the work.', '--agent', agent, '--yes', '--json', ...flags);
  }

  path(name: string): string {
    return join(this.repository.root, name);
  }

  /** Paths in the home, folders of the vendors apart. */
  homeFiles(): string[] {
    const all = readdirSync(this.home, { recursive: true, encoding: 'utf8' });
    return all.filter((path) => !VENDOR_PLACES.test(path)).sort();
  }

  /** Everything of a run that outlives it: processes, temporary files, and files in the home that no vendor has. */
  left() {
    return { processes: this.processes(), temporary: readdirSync(this.temporary), home: this.homeFiles() };
  }

  async events(): Promise<readonly RunEvent[]> {
    return linesOf<RunEvent>(await this.baton('events', '--task', '1', '--json'));
  }

  /** The processes of a vendor's program, without the sandbox around them. */
  programs(vendor: string): number[] {
    const place = `/${vendor}/node_modules/`;
    return this.processes()
      .filter((pid) => readFileSync(`/proc/${pid}/comm`, 'utf8') !== 'bwrap\n')
      .filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(place))
      .map(Number);
  }

  /** Processes that know this home, in whatever sandbox. */
  processes(): string[] {
    return readdirSync('/proc').filter((pid) => {
      if (!/^\d+$/.test(pid)) return false;
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(this.home);
      } catch {
        // Ended while it was looked at.
        return false;
      }
    });
  }
}

interface RunEvent {
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Folders that hold settings, logins and sessions of the vendors. */
const VENDOR_PLACES =
  /^(\.(claude|claude\.json|codex|gemini|qwen|config\/(opencode|baton)|local\/(share|state)\/(opencode|goose))(\/|$)|\.(config|local|local\/(share|state))$)/;

export class StartedBaton {
  readonly child: ChildProcess;
  readonly ended: Promise<BatonRun>;
  stdout = '';
  stderr = '';

  constructor(args: readonly string[], place: { readonly cwd: string; readonly env: NodeJS.ProcessEnv }) {
    const child = spawn(BATON, args, { ...place, stdio: ['ignore', 'pipe', 'pipe'] });
    this.child = child;
    after(() => child.kill('SIGKILL'));
    child.stdout.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.ended = once(child, 'close').then(([status]) => {
      return { status, stdout: this.stdout, stderr: this.stderr, extra: '' } as BatonRun;
    });
  }
}
