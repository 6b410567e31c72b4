// npm run bench -- runs [--count N] [--rounds N] [--only many|large|crowd]
// What a run costs beside the program it runs: orders handed to a node over HTTP, 8 at once, against the same program
// started under bubblewrap with nothing around it, both in one sitting, round by round; and one run at a time in a
// repository of 50,000 files. Ends with 1 when a bound is broken.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { findBridge } from '../src/agents/sandbox/network/bridge.ts';
import { isBroken, type Judgement } from './report/judgement.ts';
import { median, medianRatio } from './report/median.ts';
import { boundTable, table } from './report/table.ts';
import { type Runs, spawnBubblewrap, startSandbox } from './runs/direct.ts';
import { measureLargeRepository } from './runs/large-repository.ts';
import { memoryMiB, runOrders, startNode, submitAll, until } from './runs/ordered.ts';

const { values: flags } = parseArgs({
  options: {
    count: { type: 'string', default: '200' },
    rounds: { type: 'string', default: '3' },
    crowd: { type: 'string', default: '200' },
    only: { type: 'string' },
  },
});

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const AGENT = [process.execPath, join(ROOT, 'test', 'fixtures', 'agents', 'completes.mjs')];
/** A program that costs the machine next to nothing, so that 200 of them fit: what is measured is the node. */
const IDLE_AGENT = ['/bin/sh', '-c', 'exec sleep 600'];
const AT_ONCE = 8;
const RATIO_MAX = 1.5;
const MEMORY_MIB_MAX = 400;
const count = Number(flags.count);

interface Row {
  readonly name: string;
  readonly seconds: number[];
  readonly about: string;
}

function folders(folder: string): Runs['folderOf'] {
  return (at) => {
    const own = join(folder, String(at % AT_ONCE).padStart(3, '0'), String(at));
    mkdirSync(own, { recursive: true });
    return own;
  };
}

function repositories(folder: string): Runs['folderOf'] {
  const made = new Map<number, string>();
  return (at) => {
    const known = made.get(at);
    if (known) return known;
    const own = join(folder, String(at));
    mkdirSync(own, { recursive: true });
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=b', '-c', 'user.email=b@localhost', '-C', own, ...args]);
    git('init', '--quiet');
    git('commit', '--quiet', '--allow-empty', '-m', 'Begin');
    made.set(at, own);
    return own;
  };
}

async function measureRuns(folder: string): Promise<readonly Judgement[]> {
  await using node = await startNode(folder, { argv: AGENT, atOnce: AT_ONCE });
  const runs = (kind: string, folderOf: (folder: string) => Runs['folderOf']): Runs => {
    const place = folderOf(join(folder, kind));
    for (let at = 0; at < count; at++) place(at);
    return { count, atOnce: AT_ONCE, argv: AGENT, folderOf: place };
  };
  const plain: Row = { name: 'bubblewrap by hand', seconds: [], about: 'the whole system read-only; nothing watched' };
  const held: Row = {
    name: "Baton's sandbox alone",
    seconds: [],
    about: `the same mounts, filter and network as a run; network bridge: ${findBridge().name}`,
  };
  const own: Row = { name: 'runs, a folder each', seconds: [], about: 'without git' };
  const git: Row = { name: 'runs, a git repository each', seconds: [], about: 'with two shadow commits each' };
  const cpu: number[] = [];
  for (let round = 0; round < Number(flags.rounds); round++) {
    plain.seconds.push(await spawnBubblewrap(runs(`plain-${round}`, folders)));
    held.seconds.push(await startSandbox(runs(`held-${round}`, folders), Number(new URL(node.url).port)));
    const ordered = await runOrders(node, runs(`own-${round}`, folders), `own-${round}`);
    own.seconds.push(ordered.seconds);
    cpu.push(ordered.cpuMillisPerRun);
    git.seconds.push((await runOrders(node, runs(`git-${round}`, repositories), `git-${round}`)).seconds);
  }
  const rows = [plain, held, own, git].map((row) => [row.name, median(row.seconds).toFixed(2), row.about]);
  process.stdout.write(table([`${count} programs, ${AT_ONCE} at once`, 'seconds', ''], rows));
  process.stdout.write(`a run costs the node's first thread ${median(cpu).toFixed(1)} ms\n\n`);
  const judged = (what: string, row: Row, weight: Judgement['weight'], peer: Row): Judgement => {
    const got = medianRatio(row.seconds, peer.seconds);
    return { what, got, bound: RATIO_MAX, sense: 'at most', unit: '×', weight };
  };
  return [
    judged('runs against the sandbox alone', own, 'bound', held),
    judged('runs against bubblewrap by hand', own, 'aim', plain),
    judged('runs in git against the sandbox alone', git, 'aim', held),
  ];
}

async function measureCrowd(folder: string): Promise<Judgement> {
  const crowd = Number(flags.crowd);
  await using node = await startNode(folder, { argv: IDLE_AGENT, atOnce: crowd });
  const { pid } = JSON.parse(readFileSync(join(folder, 'data', 'node.json'), 'utf8')) as { pid: number };
  await submitAll(node, { count: crowd, atOnce: AT_ONCE, argv: IDLE_AGENT, folderOf: folders(folder) }, 'crowd');
  await until(node, (counts) => counts['in-progress'] === crowd);
  let peak = 0;
  for (let look = 0; look < 20; look++) {
    peak = Math.max(peak, memoryMiB(pid));
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const what = `the node's own memory with ${crowd} agents at once`;
  return { what, got: peak, bound: MEMORY_MIB_MAX, sense: 'at most', unit: ' MiB', weight: 'bound' };
}

// Outside of this clone, whose repository would be the workspace of every run; on a disk, as answers are durable.
const folder = mkdtempSync('/var/tmp/baton-bench-runs-');
try {
  const isWanted = (name: string) => flags.only === undefined || flags.only === name;
  const judgements = [
    ...(isWanted('many') ? await measureRuns(join(folder, 'runs')) : []),
    ...(isWanted('large') ? measureLargeRepository(join(folder, 'large')) : []),
    ...(isWanted('crowd') ? [await measureCrowd(join(folder, 'crowd'))] : []),
  ];
  process.stdout.write(boundTable(judgements));
  process.exitCode = judgements.some(isBroken) ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
