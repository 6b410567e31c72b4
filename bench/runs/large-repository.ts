import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BATON } from '../node/daemon.ts';
import type { Judgement } from '../report/judgement.ts';
import { median } from '../report/median.ts';
import { table } from '../report/table.ts';

const FOLDERS = 500;
const FILES_PER_FOLDER = 100;
const LATER_RUNS = 5;
const FIRST_RUN_SECONDS_MAX = 2;
const LATER_RUN_SECONDS_MAX = 0.6;
const UNDO_SECONDS_MAX = 0.6;

interface Timing {
  readonly seconds: number;
  /** User and system time of the command and all of its children. */
  readonly cpuSeconds: number;
  readonly stdout: string;
}

interface TimedRun extends Timing {
  readonly agentSeconds: number;
  readonly task: string;
}

/** Times runs of the demo agent, and an undo, in a repository of 50,000 files; `git status` beside them is the peer. */
export function measureLargeRepository(folder: string): readonly Judgement[] {
  const repository = join(folder, 'large');
  makeRepository(repository);
  const environment = { ...process.env, XDG_STATE_HOME: join(folder, 'state') };
  const baton = (...args: string[]) => timed([BATON, ...args], repository, environment);
  const status = () => timed(['git', 'status', '--porcelain'], repository, environment);
  status();
  const peer = [status()];
  const first = runDemo(baton, 0);
  const later: TimedRun[] = [];
  const undos: Timing[] = [];
  for (let at = 1; at <= LATER_RUNS; at++) {
    peer.push(status());
    later.push(runDemo(baton, at));
    undos.push(baton('undo', later.at(-1)?.task ?? '', '--json'));
  }
  const gitSeconds = median(peer.map(({ seconds }) => seconds));
  const row = (name: string, runs: readonly Timing[], above: number) => [
    name,
    median(runs.map(({ seconds }) => seconds)).toFixed(2),
    median(runs.map(({ cpuSeconds }) => cpuSeconds)).toFixed(2),
    above.toFixed(2),
    `${(above / gitSeconds).toFixed(1)}×`,
  ];
  const laterAbove = median(later.map(aboveAgent));
  const undoSeconds = median(undos.map(({ seconds }) => seconds));
  const rows = [
    row('git status', peer, gitSeconds),
    row('first run', [first], aboveAgent(first)),
    row('later run', later, laterAbove),
    row('undo', undos, undoSeconds),
  ];
  const header = [`${FOLDERS * FILES_PER_FOLDER} files`, 'seconds', 'CPU seconds', 'above the agent', 'to git status'];
  process.stdout.write(`${table(header, rows)}\n`);
  const bound = { sense: 'at most', unit: ' s', weight: 'bound' } as const;
  return [
    { what: 'first run in 50,000 files', got: aboveAgent(first), bound: FIRST_RUN_SECONDS_MAX, ...bound },
    { what: 'later run in 50,000 files', got: laterAbove, bound: LATER_RUN_SECONDS_MAX, ...bound },
    { what: 'undo in 50,000 files', got: undoSeconds, bound: UNDO_SECONDS_MAX, ...bound },
  ];
}

function aboveAgent({ seconds, agentSeconds }: TimedRun): number {
  return seconds - agentSeconds;
}

/** Committed, and packed as git itself does in the background after a commit of this size. */
function makeRepository(root: string): void {
  for (let at = 0; at < FOLDERS; at++) {
    const inner = join(root, `package-${at % 25}`, `module-${at}`);
    mkdirSync(inner, { recursive: true });
    for (let file = 0; file < FILES_PER_FOLDER; file++) {
      const line = `export const value${at}x${file} = ${at * FILES_PER_FOLDER + file};\n`;
      writeFileSync(join(inner, `file-${file}.ts`), line.repeat(4));
    }
  }
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=b', '-c', 'user.email=b@localhost', '-c', 'gc.auto=0', ...args], {
      cwd: root,
    });
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '-m', 'Begin');
  git('repack', '-a', '-d', '--quiet');
}

function runDemo(baton: (...args: string[]) => Timing, at: number): TimedRun {
  const words = `@demo write note-${at}.txt hello`;
  const ended = baton('run', words, '--agent', 'demo', '--yes', '--json');
  const last = ended.stdout.trimEnd().split('\n').at(-1) ?? '';
  const report = JSON.parse(last) as {
    readonly timing: { readonly duration_seconds: number };
    readonly extensions: { readonly x_baton: { readonly task: string } };
  };
  return { ...ended, agentSeconds: report.timing.duration_seconds, task: report.extensions.x_baton.task };
}

function timed([program = '', ...args]: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Timing {
  const cpuBefore = childCpuSeconds();
  const startedMs = performance.now();
  const ended = spawnSync(program, args, { cwd, env, encoding: 'utf8', maxBuffer: 1 << 28 });
  const seconds = (performance.now() - startedMs) / 1_000;
  // A run without checks ends with 3: unchecked.
  if (ended.status !== 0 && ended.status !== 3) throw new Error(`${program} ${args[0]} failed: ${ended.stderr}`);
  return { seconds, cpuSeconds: childCpuSeconds() - cpuBefore, stdout: ended.stdout };
}

const TICKS_PER_SECOND = 100;

/** The processor time of all children that have ended, and of their children; Linux only. */
function childCpuSeconds(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
}
