import type { Standing } from '../contest/contest.ts';
import { format, type Judgement } from './judgement.ts';
import { median, medianRatio } from './median.ts';
import { table } from './table.ts';

export const RAW = 'raw node:sqlite';
export const WITHOUT_TREE = 'Baton';
export const TREE = 'Baton with its tree';

const RAW_RATIO_MIN = 0.6;
const PEER_RATIO_FLOOR = 2;
const PEER_RATIO_AIM = 3;
const TREE_RATIO_MIN = 0.7;
const TREE_LATE_SECONDS_MAX = 2;

export function judgeLives(standings: readonly Standing[]): readonly Judgement[] {
  const of = (name: string) => standings.find(({ entrant }) => entrant.name === name);
  const [raw, baton, tree] = [of(RAW), of(WITHOUT_TREE), of(TREE)];
  const best = bestPeer(standings);
  const rival = best ? `the best peer (${best.entrant.name})` : 'the best peer';
  const ratio = (what: string, pair: { ours: Standing | undefined; theirs: Standing | undefined }, bound: number) => {
    const { ours, theirs } = pair;
    const got = ours && theirs ? medianRatio(rates(ours), rates(theirs)) : null;
    return { what, got, bound, sense: 'at least', unit: '×', weight: 'bound', note: 'no peer is here' } as const;
  };
  const peer = { ours: baton, theirs: best };
  const late = tree ? Math.max(...tree.figures.map(({ extra }) => extra?.['treeLateSeconds'] ?? Number.NaN)) : null;
  return [
    ratio('Baton to raw node:sqlite, the same rows', { ours: baton, theirs: raw }, RAW_RATIO_MIN),
    ratio(`Baton to ${rival}`, peer, PEER_RATIO_FLOOR),
    { ...ratio(`Baton to ${rival}`, peer, PEER_RATIO_AIM), weight: 'aim' },
    ratio(`Baton with its tree to ${rival}`, { ours: tree, theirs: best }, TREE_RATIO_MIN),
    {
      what: 'tree complete after the last answer, worst round',
      got: late,
      bound: TREE_LATE_SECONDS_MAX,
      sense: 'at most',
      unit: ' s',
      weight: 'bound',
    },
  ];
}

export function lifeTable(standings: readonly Standing[]): string {
  const raw = standings.find(({ entrant }) => entrant.name === RAW);
  const best = bestPeer(standings);
  const to = (one: Standing, other: Standing | undefined) =>
    other ? `${format(medianRatio(rates(one), rates(other)))}×` : '-';
  const rows = standings.map((each) => [
    each.entrant.name,
    format(median(rates(each))),
    rates(each).map(format).join(' '),
    format(median(each.figures.map(({ extra }) => extra?.['cpuMicrosPerLife'] ?? Number.NaN))),
    to(each, raw),
    to(each, best),
    each.entrant.settings,
  ]);
  const note = 'A life of a peer is add, taken, completed: two or three durable steps to five of Baton.\n';
  const tree = standings.find(({ entrant }) => entrant.name === TREE);
  const inTree = tree?.figures.map(({ extra }) => extra?.['livesPerSecondInTree'] ?? Number.NaN) ?? [];
  const treeNote = tree ? `Until the tree is complete as well: ${format(median(inTree))} lives/s.\n` : '';
  return table(['', 'lives/s', 'rounds', 'own CPU µs/life', 'to raw', 'to best peer', 'with'], rows) + note + treeNote;
}

function rates({ figures }: Standing): number[] {
  return figures.map(({ livesPerSecond }) => livesPerSecond);
}

function bestPeer(standings: readonly Standing[]): Standing | undefined {
  const peers = standings.filter(({ entrant }) => entrant.round.packages !== undefined);
  return peers.sort((one, other) => median(rates(other)) - median(rates(one)))[0];
}
