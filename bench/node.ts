// npm run bench -- node [--lives N] [--warm-up N] [--rounds N] [--lives-only] [--install] [--no-peers]
// A node as others use it: lives over HTTP beside other queues, events to many readers, a start on a full ledger, a
// command through it; with --lives-only the first of these. Ends with 1 when a bound is broken.
import { mkdirSync, rmSync, statfsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { contest, type Entrant, type Standing } from './contest/contest.ts';
import { CALLERS } from './contest/contestant.ts';
import { measureEvents } from './node/measure-events.ts';
import { measureStart } from './node/measure-start.ts';
import { type EnteredPeers, enterPeers } from './peers/enter-peers.ts';
import { format, isBroken, type Judgement } from './report/judgement.ts';
import { median, medianRatio } from './report/median.ts';
import { boundTable, table } from './report/table.ts';

const { values: flags } = parseArgs({
  options: {
    lives: { type: 'string', default: '3000' },
    // A node and a Node client compile their busy code during their first 2,000 lives.
    'warm-up': { type: 'string', default: '3000' },
    rounds: { type: 'string', default: '3' },
    'lives-only': { type: 'boolean', default: false },
    install: { type: 'boolean', default: false },
    'no-peers': { type: 'boolean', default: false },
  },
});

const CACHE = join(dirname(dirname(fileURLToPath(import.meta.url))), '.cache');
const TMPFS = 0x01021994;
const OURS = 'Baton over HTTP, one by one';
const BATCHED = 'Baton over HTTP, in batches';
const PEER_RATIO_MIN = 1;
/** A first thread that works this share of the time has no more to give. */
const BUSY_CORE_MIN = 0.85;
const round = { lives: Number(flags.lives), warmUpLives: Number(flags['warm-up']) };
const mayInstall =
  flags.install || (process.getuid?.() === 0 && Boolean(process.env['CI'] || process.env['BATON_APT']));

function rates({ figures }: Standing): number[] {
  return figures.map(({ livesPerSecond }) => livesPerSecond);
}

/** The bound holds for batches; one request a step is shown beside it. */
function judgeLives(standings: readonly Standing[]): Judgement {
  const [ours, _oneByOne, ...peers] = standings;
  const best = peers.toSorted((one, other) => median(rates(other)) - median(rates(one)))[0];
  return {
    what: `lives over HTTP in batches against the best peer${best ? ` (${best.entrant.name})` : ''}`,
    got: ours && best ? medianRatio(rates(ours), rates(best)) : null,
    bound: PEER_RATIO_MIN,
    sense: 'at least',
    unit: '×',
    weight: 'bound',
    note: 'no peer is here',
  };
}

/** Which side was at its end, so that nobody takes a tired caller for a slow node. */
function limitOf({ entrant, figures }: Standing): string {
  const of = (name: string) => median(figures.map(({ extra }) => extra?.[name] ?? Number.NaN));
  const side = (who: string, cores: number, micros: number) =>
    `the ${who} ${format(cores)} of a core (${format(micros)} µs a life)`;
  const [node, caller] = [of('nodeCores'), of('callerCores')];
  const busiest = Math.max(node, caller);
  const limit =
    busiest < BUSY_CORE_MIN ? 'neither: the disk, or what else runs here' : node > caller ? 'the node' : 'the caller';
  const sides = [side('node', node, of('nodeMicrosPerLife')), side('caller', caller, of('cpuMicrosPerLife'))];
  return `${entrant.name} used of ${availableParallelism()} cores: ${sides.join(', ')}. At its end was ${limit}.\n`;
}

async function measureAll(folder: string, peers: EnteredPeers): Promise<boolean> {
  const ours: Entrant = {
    name: OURS,
    file: new URL('./node/lives-over-http.ts', import.meta.url),
    settings: `${CALLERS} keep-alive connections; the tree on; 4 requests a life, each with a durable answer`,
    round,
  };
  const batched: Entrant = {
    name: BATCHED,
    file: new URL('./node/lives-by-batch.ts', import.meta.url),
    settings:
      'POST /v1/batch; the tree on; 4 lines a life, each with a durable answer; 500 lives a batch, 2 batches at once',
    round,
  };
  const standings = await contest([batched, ours, ...peers.entrants], Number(flags.rounds), folder);
  await peers.stop();
  const judgements = [judgeLives(standings)];
  if (!flags['lives-only']) judgements.push(...(await measureEvents(folder)), ...(await measureStart(CACHE, folder)));
  const rows = standings.map((each) => [
    each.entrant.name,
    Math.round(median(rates(each))).toLocaleString('en'),
    each.entrant.settings,
  ]);
  const missing = peers.missing.map((sentence) => `${sentence}\n`).join('');
  const limit = standings.slice(0, 2).map(limitOf).join('');
  process.stdout.write(`${table(['', 'lives/s', ''], rows)}${missing}${limit}\n${boundTable(judgements)}`);
  return !judgements.some(isBroken);
}

const folder = join(CACHE, 'bench', `node-${process.pid}`);
mkdirSync(folder, { recursive: true });
if (statfsSync(folder).type === TMPFS)
  throw new Error(`${folder} is in memory: a bench of durable answers needs a disk`);
const nobody: EnteredPeers = { entrants: [], missing: ['peers left out (--no-peers)'], stop: async () => {} };
const peers = flags['no-peers'] ? nobody : await enterPeers({ cache: CACHE, mayInstall }, folder, round);
try {
  process.exitCode = (await measureAll(folder, peers)) ? 0 : 1;
} finally {
  await peers.stop();
  rmSync(folder, { recursive: true, force: true });
}
