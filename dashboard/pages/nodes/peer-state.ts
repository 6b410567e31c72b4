import type { LinkView, NodeStatusAnswer, PeerView } from '../../../src/api/federation/federation-contract.ts';
import { counted } from '../../parts/format.ts';
import type { VerdictKind } from '../../parts/verdict.tsx';

export interface PeerState {
  readonly kind: VerdictKind;
  readonly word: string;
  /** How the line to it is drawn. */
  readonly line: 'live' | 'behind' | 'silent' | 'off' | 'asks';
}

/** The state of another node in a word, the most pressing one. */
export function stateOf(
  { standing, life, lag }: Pick<PeerView, 'standing' | 'life' | 'lag'>,
  isAsked: boolean,
): PeerState {
  if (standing === 'removed') return { kind: 'unchecked', word: 'removed', line: 'off' };
  if (standing === 'other-key') return { kind: 'needs-you', word: 'another key', line: 'asks' };
  if (standing === 'asks' && isAsked) return { kind: 'needs-you', word: 'asks to be trusted', line: 'asks' };
  if (standing === 'asks' && life === 'alive') return { kind: 'waiting', word: 'not trusted', line: 'off' };
  switch (life) {
    case 'alive':
      return { kind: 'checked', word: 'alive', line: lag > 0 ? 'behind' : 'live' };
    case 'silent':
      return { kind: 'stale', word: 'silent', line: 'silent' };
    case 'dead':
      return { kind: 'failed', word: 'dead', line: 'silent' };
    case 'left':
      return { kind: 'unchecked', word: 'left', line: 'off' };
    default:
      return { kind: 'stale', word: 'not seen', line: 'silent' };
  }
}

/** Whether a person is asked about a node. */
export function isAskedAbout({ incidents }: Pick<NodeStatusAnswer, 'incidents'>, nodeId: string): boolean {
  return incidents.some(({ node, actions }) => node === nodeId && actions.includes('trust'));
}

/** The lag of both directions, in words. */
export function lagText(peer: PeerView, links: readonly LinkView[]): string {
  const back = links.find(({ source, reader }) => reader === peer.nodeId && source !== peer.nodeId)?.lag ?? 0;
  const words = [
    peer.lag > 0 && `${peer.lag.toLocaleString('en')} to read`,
    back > 0 && `it has ${back.toLocaleString('en')} to read`,
  ];
  return words.filter(Boolean).join(', ') || 'in step';
}

export function gapText({ gaps }: PeerView): string {
  return gaps === 0 ? '' : counted(gaps, 'gap');
}

/** 5 or 5–9. */
export function rangeText({ first, last }: { readonly first: number; readonly last: number }): string {
  return first === last ? first.toLocaleString('en') : `${first.toLocaleString('en')}–${last.toLocaleString('en')}`;
}

/** A key in groups of four, as people compare it. */
export function keyText(keyId: string): string {
  return keyId.match(/.{1,4}/g)?.join(' ') ?? '';
}

export const PEERS_ON_MAP_MAX = 24;
/** With more than these they stand on both sides of this node. */
const ONE_SIDE_MAX = 4;

export interface ShownPeers {
  readonly left: readonly PeerView[];
  readonly right: readonly PeerView[];
  /** Those that the words fit, shown or not. */
  readonly found: number;
}

/**
 * The nodes of the map in the order of their names, so that none jumps when its state changes. Of too many the most pressing are
 * chosen: those that need a person, have gaps, are behind or silent.
 */
export function placePeers(peers: readonly PeerView[], words: string): ShownPeers {
  const wanted = words.trim().toLowerCase();
  const found = peers.filter((peer) => wanted === '' || textOf(peer).includes(wanted));
  const chosen = found.toSorted((a, b) => needOf(b) - needOf(a) || byName(a, b)).slice(0, PEERS_ON_MAP_MAX);
  const placed = chosen.toSorted(byName);
  const onLeft = placed.length <= ONE_SIDE_MAX ? 0 : Math.ceil(placed.length / 2);
  return { left: placed.slice(0, onLeft), right: placed.slice(onLeft), found: found.length };
}

function textOf(peer: PeerView): string {
  const { word } = stateOf(peer, false);
  return [peer.nodeId, word, ...peer.agents.map(({ name }) => name)].join(' ').toLowerCase();
}

function needOf({ standing, gaps, lag, life }: PeerView): number {
  if (standing === 'other-key' || standing === 'asks') return 4;
  if (gaps > 0) return 3;
  if (lag > 0) return 2;
  return life === 'silent' || life === 'dead' ? 1 : 0;
}

function byName({ nodeId: a }: PeerView, { nodeId: b }: PeerView): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
