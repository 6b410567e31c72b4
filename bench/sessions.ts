// npm run bench -- sessions [--count N] [--rounds N] [--waiting N] [--only many|waiting|graph]
// What a session costs: tasks without work as one session against the same orders without one, 8 at once, in one sitting, round by
// round; a turn of the dispatcher while 10,000 tasks wait, as CPU time of the node; planning a graph of 10,000. Ends with 1 when
// a bound is broken.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { DISPATCH_TICK_MS } from '../src/domain/limits.ts';
import { planGraph } from '../src/domain/session/session-graph.ts';
import type { SessionPattern } from '../src/domain/session/session-terms.ts';
import { makeCaller } from './node/caller.ts';
import type { Daemon } from './node/daemon.ts';
import { isBroken, type Judgement } from './report/judgement.ts';
import { median, medianRatio } from './report/median.ts';
import { boundTable } from './report/table.ts';
import type { Runs } from './runs/direct.ts';
import { runOrders, startNode, until } from './runs/ordered.ts';
import { orderText } from './runs/run-order.ts';

const { values: flags } = parseArgs({
  options: {
    count: { type: 'string', default: '200' },
    rounds: { type: 'string', default: '3' },
    waiting: { type: 'string', default: '10000' },
    only: { type: 'string' },
  },
});

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const AGENT = [process.execPath, join(ROOT, 'test', 'fixtures', 'agents', 'completes.mjs')];
const IDLE_AGENT = ['/bin/sh', '-c', 'exec sleep 600'];
const AT_ONCE = 8;
const RATIO_MAX = 1.2;
const TURN_MS_MAX = 10;
const PLAN_MS_MAX = 200;
const WINDOW_MS = 5_000;
const WINDOWS = 8;

function folders(folder: string): Runs['folderOf'] {
  return (at) => {
    const own = join(folder, String(at));
    mkdirSync(own, { recursive: true });
    return own;
  };
}

/** TASKs of one session, as a program would send them. */
function sessionText(runs: Pick<Runs, 'count' | 'folderOf'>, name: string, pattern: SessionPattern): string {
  const tasks = Array.from({ length: runs.count }, (_, at) => {
    const task = JSON.parse(orderText(runs.folderOf(at), `${name}-${at}`));
    return { ...task, session: { ...task.session, session_id: name, workflow_pattern: pattern } };
  });
  return JSON.stringify(tasks);
}

async function submitSession(daemon: Daemon, workspace: string, text: string): Promise<void> {
  const caller = makeCaller(daemon, 1);
  await caller.post('/v1/sessions', { text, workspace });
  caller.close();
}

async function measureMany(folder: string): Promise<Judgement> {
  await using node = await startNode(folder, { argv: AGENT, atOnce: AT_ONCE });
  const [alone, together]: [number[], number[]] = [[], []];
  for (let round = 0; round < Number(flags.rounds); round++) {
    const runs = (kind: string): Runs => {
      const folderOf = folders(join(folder, `${kind}-${round}`));
      for (let at = 0; at < Number(flags.count); at++) folderOf(at);
      return { count: Number(flags.count), atOnce: AT_ONCE, argv: AGENT, folderOf };
    };
    alone.push((await runOrders(node, runs('alone'), `alone-${round}`)).seconds);
    const session = runs('session');
    const startedMs = performance.now();
    await submitSession(node, session.folderOf(0), sessionText(session, `session-${round}`, 'PARALLEL'));
    await until(node, (counts) => !counts['ready'] && !counts['in-progress'] && !counts['backlog']);
    together.push((performance.now() - startedMs) / 1_000);
  }
  process.stdout.write(`orders ${median(alone).toFixed(2)} s, as a session ${median(together).toFixed(2)} s\n\n`);
  const what = `a session of ${flags.count} tasks to the same orders without one, 8 at once`;
  return { what, got: medianRatio(together, alone), bound: RATIO_MAX, sense: 'at most', unit: '×', weight: 'bound' };
}

/** The CPU time of the node while one task runs and the others wait for it, for each turn of the dispatcher. */
async function measureWaiting(folder: string): Promise<Judgement> {
  await using node = await startNode(folder, { argv: IDLE_AGENT, atOnce: AT_ONCE });
  const folderOf = folders(join(folder, 'waiting'));
  const one = folderOf(0);
  await submitSession(
    node,
    one,
    sessionText({ count: Number(flags.waiting), folderOf: () => one }, 'waiting', 'CHAIN'),
  );
  await until(node, (counts) => counts['in-progress'] === 1);
  // At first the node still writes the files of the tasks: the quietest window counts.
  const windows: number[] = [];
  for (let window = 0; window < WINDOWS; window++) {
    const before = node.cpuMicros();
    const startedMs = performance.now();
    await new Promise((resolve) => setTimeout(resolve, WINDOW_MS));
    const turns = (performance.now() - startedMs) / DISPATCH_TICK_MS;
    windows.push((node.cpuMicros() - before) / 1_000 / turns);
  }
  const what = `a turn of the dispatcher with ${flags.waiting} waiting tasks, CPU time of the whole node`;
  return { what, got: Math.min(...windows), bound: TURN_MS_MAX, sense: 'at most', unit: ' ms', weight: 'bound' };
}

function measureGraph(): readonly Judgement[] {
  const patterns: readonly SessionPattern[] = ['CHAIN', 'PARALLEL', 'MAP_REDUCE', 'HIERARCHICAL'];
  const count = Number(flags.waiting);
  return patterns.map((pattern) => {
    const tasks = Array.from({ length: count }, (_, at) => ({
      id: `t${at}`,
      parent: pattern === 'HIERARCHICAL' && at > 0 ? 't0' : null,
      after: at % 3 === 2 ? [`t${at - 1}`, `t${at - 2}`] : null,
    }));
    const millis = Array.from({ length: 5 }, () => {
      const startedMs = performance.now();
      const graph = planGraph(pattern, tasks);
      if (graph.kind !== 'graph') throw new Error(`${pattern}: ${graph.refusal.message}`);
      return performance.now() - startedMs;
    });
    const what = `planning a graph of ${count} tasks, ${pattern}`;
    return { what, got: median(millis), bound: PLAN_MS_MAX, sense: 'at most', unit: ' ms', weight: 'bound' };
  });
}

const folder = mkdtempSync('/var/tmp/baton-bench-sessions-');
try {
  const isWanted = (name: string) => flags.only === undefined || flags.only === name;
  const judgements = [
    ...(isWanted('many') ? [await measureMany(join(folder, 'many'))] : []),
    ...(isWanted('waiting') ? [await measureWaiting(join(folder, 'idle'))] : []),
    ...(isWanted('graph') ? measureGraph() : []),
  ];
  process.stdout.write(boundTable(judgements));
  process.exitCode = judgements.some(isBroken) ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}
