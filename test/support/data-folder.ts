import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import type { EventView, SendAnswer } from '../../src/api/contract.ts';
import type { TaskView } from '../../src/api/task/task-view.ts';
import { type BatonCall, type BatonRun, linesOf, ROOT, runBaton } from './run-baton.ts';

/** One folder a suite; each test has a data folder of its own in it. */
export function scratchFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `baton-${name}-`));
  after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}

/** A data folder as a person at a shell has it: every call is a process of its own. */
export class DataFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  run(args: readonly string[], call: BatonCall = {}): Promise<BatonRun> {
    const environment = { TZ: 'UTC', BATON_RUN: '', ...call.environment };
    return runBaton([...args, '--data', this.path], { ...call, environment });
  }

  /** The one value of a call that must work. */
  async json<Value>(...args: string[]): Promise<Value> {
    const run = await this.run([...args, '--json']);
    if (run.status !== 0) throw new Error(`baton ${args.join(' ')}: exit ${run.status}\n${run.stdout}${run.stderr}`);
    return linesOf<Value>(run)[0] as Value;
  }

  newTask(title: string, ...flags: string[]): Promise<TaskView> {
    return this.json<TaskView>('task', 'new', '--title', title, ...flags);
  }

  /** Hands a message in through standard input. */
  async send(message: object, ...flags: string[]): Promise<SendAnswer & { readonly exit: number | null }> {
    const run = await this.run(['send', '-', '--json', ...flags], { input: [JSON.stringify(message)] });
    return { ...(linesOf<SendAnswer>(run)[0] as SendAnswer), exit: run.status };
  }

  async eventsOf(task: string): Promise<EventView[]> {
    return linesOf<EventView>(await this.run(['events', '--task', task, '--json']));
  }

  has(...path: string[]): boolean {
    return existsSync(join(this.path, ...path));
  }

  read(...path: string[]): string {
    return readFileSync(join(this.path, ...path), 'utf8');
  }

  readJson<Value = Record<string, unknown>>(...path: string[]): Value {
    return JSON.parse(this.read(...path)) as Value;
  }
}

/** An example of aof-1.md, word for word, but about other tasks. */
export function aofExample(file: string, names: Readonly<Record<string, string>>): object {
  const text = readFileSync(join(ROOT, 'test', 'corpus', 'aof', 'accepted', `${file}.json`), 'utf8');
  const renamed = Object.entries(names).reduce((words, [from, to]) => words.replaceAll(from, to), text);
  return JSON.parse(renamed) as object;
}
