// npm run bench -- tasks [--lives N] [--rounds N] [--install] [--no-peers]
// The life of a task against raw SQLite writing the same rows, and beside other queues. Ends with 1 when a bound is broken.
import { mkdirSync, rmSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { contest, type Entrant, measureOnce } from './contest/contest.ts';
import { CALLERS } from './contest/contestant.ts';
import { measureCrowd } from './crowd/measure-crowd.ts';
import { type EnteredPeers, enterPeers } from './peers/enter-peers.ts';
import { judgeLives, lifeTable, RAW, TREE, WITHOUT_TREE } from './report/judge-lives.ts';
import { isBroken } from './report/judgement.ts';
import { boundTable } from './report/table.ts';

const { values: flags } = parseArgs({
  options: {
    lives: { type: 'string', default: '5000' },
    rounds: { type: 'string', default: '3' },
    install: { type: 'boolean', default: false },
    'no-peers': { type: 'boolean', default: false },
  },
});

const CACHE = join(dirname(dirname(fileURLToPath(import.meta.url))), '.cache');
const TMPFS = 0x01021994;
const TREE_LIVES = 2_000;
const WARM_UP_LIVES = 1_000;

const lives = { lives: Number(flags.lives), warmUpLives: WARM_UP_LIVES };
const mayInstall =
  flags.install || (process.getuid?.() === 0 && Boolean(process.env['CI'] || process.env['BATON_APT']));

function ownEntrants(): Entrant[] {
  const raw = { name: RAW, file: new URL('./life/raw-sqlite.ts', import.meta.url), round: lives };
  const bare = { name: WITHOUT_TREE, file: new URL('./life/baton.ts', import.meta.url), round: lives };
  const tree = {
    name: TREE,
    file: new URL('./life/baton-with-tree.ts', import.meta.url),
    round: { ...lives, lives: TREE_LIVES },
  };
  return [
    { ...raw, settings: 'node:sqlite, WAL, synchronous=FULL: the statements of a recorded run, nothing else' },
    { ...bare, settings: `${CALLERS} callers; create, ready, lease, complete, done: 5 durable answers a life` },
    { ...tree, settings: `the same with the tree on, ${TREE_LIVES} lives; rate until the last answer` },
  ];
}

async function recordLives(folder: string): Promise<string> {
  const file = new URL('./life/record-writes.ts', import.meta.url);
  const { extra } = await measureOnce(
    { name: 'recording', file, exported: 'record', settings: '', round: lives },
    folder,
  );
  return Object.entries(extra ?? {})
    .map(([name, value]) => `${name} ${value.toFixed(1)}`)
    .join(', ');
}

async function playLives(folder: string, peers: EnteredPeers): Promise<boolean> {
  const recorded = await recordLives(folder);
  const standings = await contest([...ownEntrants(), ...peers.entrants], Number(flags.rounds), folder);
  await peers.stop();
  const judgements = [...judgeLives(standings), ...(await measureCrowd(CACHE))];
  const heading = `${lives.lives} lives, ${CALLERS} callers, median of ${flags.rounds} rounds in turn; ${recorded}`;
  const missing = peers.missing.map((sentence) => `${sentence}\n`).join('');
  process.stdout.write(`${heading}\n\n${lifeTable(standings)}${missing}\n${boundTable(judgements)}`);
  return !judgements.some(isBroken);
}

const folder = join(CACHE, 'bench', `run-${process.pid}`);
mkdirSync(folder, { recursive: true });
if (statfsSync(folder).type === TMPFS)
  throw new Error(`${folder} is in memory: a bench of durable answers needs a disk`);
const nobody: EnteredPeers = { entrants: [], missing: ['peers left out (--no-peers)'], stop: async () => {} };
const peers = flags['no-peers'] ? nobody : await enterPeers({ cache: CACHE, mayInstall }, folder, lives);
try {
  process.exitCode = (await playLives(folder, peers)) ? 0 : 1;
} finally {
  await peers.stop();
  rmSync(folder, { recursive: true, force: true });
}
