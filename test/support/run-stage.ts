import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { TaskView } from '../../src/api/task/task-view.ts';
import type { ResponseMessage } from '../../src/protocols/aop/schema/response.ts';
import { DataFolder, scratchFolder } from './data-folder.ts';
import { BEHAVIOURS, programOf } from './fixture-agents.ts';
import { BATON, type BatonRun, linesOf } from './run-baton.ts';
import { TestDaemon } from './test-daemon.ts';
import { TestRepository } from './test-repository.ts';

/** Baton's own fields of a RESPONSE, beside those of the document. */
export interface OwnWords {
  readonly task: string;
  readonly run: string | null;
  readonly unchecked: boolean;
  readonly receipt: string | null;
  readonly written_by_baton: boolean;
  readonly workplace: string | null;
  readonly agent_claim: { readonly final_signal: string; readonly error_code: string | null } | null;
  readonly rolled_back: readonly { readonly path: string; readonly status: string }[];
}

/** A message that came with --events. */
export interface AopLine {
  readonly message_type: string;
  readonly event?: string;
  readonly [field: string]: unknown;
}

/** How `baton run FILE --json` ended. */
export interface OrderRun {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Every line of stdout but the last. */
  readonly events: readonly AopLine[];
  readonly response: ResponseMessage;
  readonly own: OwnWords;
  /** The code of error_details; null without one. */
  readonly code: string | null;
}

export interface RefusedStart {
  readonly verdict: 'refused';
  readonly code: string;
  readonly errors: readonly { readonly path: string; readonly message: string }[];
}

/** A `baton run` that is under way. */
export interface StartedRun {
  readonly child: ChildProcess;
  readonly ended: Promise<BatonRun>;
  answered(): Promise<OrderRun>;
}

type Fields = Readonly<Record<string, unknown>>;

/** Optional fields of a TASK. */
export interface TaskChanges {
  readonly target?: Fields;
  readonly task?: Fields;
  readonly execution_policy?: Fields;
  readonly guard_rails?: Fields;
  readonly phases?: readonly Fields[];
}

let made = 0;

/** An AOP TASK for one of the fixture agents, in a repository. */
export function taskFor(agent: string, root: string, changes: TaskChanges = {}) {
  const { target, task, ...rest } = changes;
  const number = ++made;
  return {
    aop_version: '2.0.2-C',
    schema_version: '2.0.2',
    protocol_family: 'AOP',
    message_type: 'TASK',
    session: {
      session_id: `S-${process.pid}-${number}`,
      created_at: '2026-02-26T14:00:00Z',
      orchestrator: 'Test',
      origin: 'CLI',
    },
    target: { agent_name: agent, role: 'EXECUTOR', provider: 'OTHER', model: agent, ...target },
    task: {
      task_id: `T-${number}`,
      objective: 'Do it.',
      category: 'OTHER',
      complexity: 'LOW',
      environment: { workspace_root: root },
      ...(task as { readonly task_id?: string; readonly environment?: { readonly workspace_root: string } }),
    },
    ...rest,
  };
}

export type AopTask = ReturnType<typeof taskFor>;

/** A file that the work must leave behind. */
export function output(path: string, more: Fields = {}): Fields {
  return { type: 'FILE', path, description: path, ...more };
}

/** Repositories, agents and a data folder, as a person has them who runs tasks from files. */
export class RunStage {
  readonly folder: string;
  readonly data: DataFolder;
  /** Null where each call is its own node. */
  daemon: TestDaemon | null = null;
  #files = 0;

  private constructor(name: string, dataPath?: string) {
    this.folder = scratchFolder(name);
    this.data = new DataFolder(dataPath ?? join(this.folder, 'data'));
  }

  /** With a node whose folder lies in a repository, as `baton init` would have it. */
  static async within(root: string): Promise<RunStage> {
    const stage = new RunStage('run-within', join(root, '.baton'));
    await stage.startNode();
    stage.configure();
    return stage;
  }

  /** With a node that stays. */
  static async up(name: string): Promise<RunStage> {
    const stage = new RunStage(name);
    await stage.startNode();
    stage.configure();
    return stage;
  }

  /** Without a node: each `baton run` is one while it lives. */
  static async alone(name: string): Promise<RunStage> {
    const stage = new RunStage(name);
    await stage.data.run(['init']);
    stage.configure();
    return stage;
  }

  async startNode(): Promise<TestDaemon> {
    this.daemon = await TestDaemon.start(this.data.path);
    return this.daemon;
  }

  /** Every fixture is an agent of its own name, and its model is called the same. */
  configure(settings: Fields = {}): void {
    const agents = BEHAVIOURS.map((name) => [name, this.agent(name)]);
    const { agents: more, ...rest } = settings;
    const config = { agents: { ...Object.fromEntries(agents), ...(more as Fields) }, ...rest };
    writeFileSync(join(this.data.path, 'config.yaml'), JSON.stringify(config));
  }

  /** The settings of a fixture as an agent. */
  agent(name: string): Fields {
    return {
      driver: 'process',
      command: [process.execPath, programOf(name)],
      provider: 'OTHER',
      model: name,
    };
  }

  repository(): TestRepository {
    return new TestRepository();
  }

  write(message: object | string): string {
    const file = join(this.folder, `${++this.#files}.json`);
    writeFileSync(file, typeof message === 'string' ? message : JSON.stringify(message));
    return file;
  }

  /** A TASK from its file to its RESPONSE. */
  async run(message: object, ...flags: string[]): Promise<OrderRun> {
    return orderRun(await this.data.run(['run', this.write(message), '--json', '--events', ...flags]));
  }

  /** The same in a process that can be signalled meanwhile. */
  start(message: object, ...flags: string[]): StartedRun {
    const args = ['run', this.write(message), '--json', '--events', ...flags, '--data', this.data.path];
    const child = spawn(BATON, args, { cwd: this.folder, stdio: ['ignore', 'pipe', 'pipe'] });
    after(() => child.kill('SIGKILL'));
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const ended = once(child, 'close').then(([status]) => ({ status, stdout, stderr, extra: '' }) as BatonRun);
    return { child, ended, answered: () => ended.then(orderRun) };
  }

  /** A TASK, or a text, that is not run. */
  async refused(
    message: object | string,
    ...flags: string[]
  ): Promise<RefusedStart & { readonly exit: number | null }> {
    const run = await this.data.run(['run', this.write(message), '--json', ...flags]);
    return { ...(linesOf<RefusedStart>(run)[0] as RefusedStart), exit: run.status };
  }

  async task(reference: string): Promise<TaskView> {
    if (this.daemon === null) return await this.data.json<TaskView>('task', 'show', reference);
    const task = await this.daemon.client.showTask({ task: reference });
    if ('kind' in task) throw new Error(task.message);
    return task;
  }
}

/** Looks until it is so; the test's own time limit ends it otherwise. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await setTimeout(20);
}

/** Programs of a session, and whatever holds its workspace, wherever they run. */
export function processesOf(task: AopTask): string[] {
  const marks = [`BATON_SESSION=${task.session.session_id}\0`, `${task.task.environment.workspace_root}\0`];
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false;
    try {
      const about = ['environ', 'cmdline'].map((file) => readFileSync(`/proc/${pid}/${file}`, 'utf8')).join('\0');
      return marks.some((mark) => about.includes(mark));
    } catch {
      // Ended while it was looked at.
      return false;
    }
  });
}

export function orderRun({ status, stdout, stderr }: BatonRun): OrderRun {
  const lines = linesOf<AopLine>({ status, stdout, stderr, extra: '' });
  const response = lines.at(-1) as unknown as ResponseMessage;
  if (response?.message_type !== 'RESPONSE') throw new Error(`no RESPONSE, exit ${status}\n${stdout}${stderr}`);
  const own = (response.extensions as { readonly x_baton: OwnWords }).x_baton;
  const code = response.error_details?.error_code ?? null;
  return { exit: status, stdout, stderr, events: lines.slice(0, -1), response, own, code };
}
