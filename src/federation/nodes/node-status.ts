import { createHash } from 'node:crypto';
import { describeIncident, isFederationIncident } from '../../domain/federation/describe-incident.ts';
import { STORE_ANSWER_MS_MAX } from '../../domain/federation/federation-limits.ts';
import { judgeLife, judgeStanding } from '../../domain/federation/judge-peer.ts';
import { countTombstones, selectCursor, selectLost } from '../../ledger/statements/federation/inbox.ts';
import { type Peer, selectPeers } from '../../ledger/statements/federation/peers.ts';
import { selectOpenIncidents } from '../../ledger/statements/incidents.ts';
import { waitAtMost } from '../../platform/timer.ts';
import { ownEnd } from '../epoch.ts';
import type { Federation } from '../federation.ts';
import { KEYS, type OutboxNotice, readNotice } from '../records.ts';
import { TransportFault } from '../transport.ts';
import type { FoundNode } from './directory.ts';
import type { KnownNode } from './known-nodes.ts';
import type { NodeRecord, PresentedAgent } from './node-record.ts';

const INCIDENTS_MAX = 500;
const INCIDENTS_SHOWN_MAX = 100;
const PEERS_SHOWN_MAX = 500;
const AGENTS_SHOWN_MAX = 50;
const LOST_SHOWN_MAX = 20;
/** A word of another node is cut here: it may have written anything. */
const WORD_CHARACTERS_MAX = 100;
const KEY_ID_CHARACTERS = 16;

/** The beginning of the hash of a public key, for people to compare. */
export function shortKeyId(publicKey: string): string {
  return createHash('sha256').update(Buffer.from(publicKey, 'base64url')).digest('hex').slice(0, KEY_ID_CHARACTERS);
}

/** This node and the others, as the control plane and the ledger have them now; by the ledger alone where the store does not answer. */
export async function nodeStatus(federation: Federation) {
  const { nodeId, transport, ledger, key, gapPolicy, isTrustNeeded, version } = federation.parts;
  const view = await readStore(federation);
  const others = othersOf(federation, view);
  const { owned } = federation.presence;
  return {
    nodeId,
    federation: federation.parts.federation,
    transport: transport.name,
    connected: view !== null,
    problem: view === null ? cut(problemOf(federation)) : null,
    version,
    trustRule: isTrustNeeded ? ('listed' as const) : ('first' as const),
    gapPolicy,
    agents: federation.parts.agents().map((agent) => ({ ...agent, isOwner: owned.includes(agent.name) })),
    peers: others.slice(0, PEERS_SHOWN_MAX).map((other) => peerStatus(federation, view, other)),
    peersTotal: others.length,
    incidents: openIncidents(federation),
    ...ownEnd(ledger.read),
    keyId: shortKeyId(Buffer.from(key.publicKey).toString('base64url')),
    owned,
  };
}

function problemOf({ parts: { transport } }: Federation): string {
  return transport.problem ?? (transport.isConnected ? 'it does not answer' : 'there is no connection');
}

/** The records of the control plane that a status is made of. */
interface StoreView {
  readonly nodes: readonly FoundNode[];
  /** The ends of the outboxes of others, as they told them to this node. */
  readonly ends: ReadonlyMap<string, OutboxNotice>;
  /** By agent. */
  readonly owners: ReadonlyMap<string, string>;
}

/** Null where the store is away or does not answer in time. */
async function readStore(federation: Federation): Promise<StoreView | null> {
  if (!federation.parts.transport.isConnected) return null;
  const reading = readRecords(federation).catch((error: unknown) => {
    if (error instanceof TransportFault) return null;
    throw error;
  });
  return (await waitAtMost(reading, STORE_ANSWER_MS_MAX)) ? await reading : null;
}

async function readRecords({ directory, parts: { transport, nodeId } }: Federation): Promise<StoreView> {
  const nodes = await directory.nodes();
  const told = await transport.list(KEYS.routesTo(nodeId));
  const ends = told.flatMap((entry) => {
    const end = readNotice(entry);
    return end ? [[entry.key.slice(KEYS.routesTo(nodeId).length), end] as const] : [];
  });
  const shown = nodes.filter((node) => node.nodeId !== nodeId).slice(0, PEERS_SHOWN_MAX);
  const names = new Set(shown.flatMap(({ agents }) => agents.slice(0, AGENTS_SHOWN_MAX).map(({ name }) => name)));
  const found = await Promise.all([...names].map(async (name) => [name, await directory.agent(name)] as const));
  const owners = new Map(found.flatMap(([name, owner]) => (owner ? [[name, owner.ownerNodeId] as const] : [])));
  return { nodes, ends: new Map(ends), owners };
}

interface OtherNode {
  readonly nodeId: string;
  /** Null where the control plane does not show it, because it or the store is away. */
  readonly node: FoundNode | null;
  /** As it was seen last; null before it was seen. */
  readonly known: KnownNode | null;
  /** Null before this node has met it. */
  readonly peer: Peer | null;
}

/** Nodes that this one has met come first: anybody who can write to the store can make up others. */
function othersOf({ parts, known }: Federation, view: StoreView | null): readonly OtherNode[] {
  const found = new Map((view?.nodes ?? []).map((node) => [node.nodeId, node]));
  const peers = new Map(selectPeers(parts.ledger.read).map((peer) => [peer.node, peer]));
  const seen = known.all().map(({ record }) => record.nodeId);
  const names = new Set([...peers.keys(), ...[...found.keys(), ...seen].sort()]);
  names.delete(parts.nodeId);
  return [...names].map((nodeId) => ({
    nodeId,
    node: found.get(nodeId) ?? null,
    known: known.get(nodeId),
    peer: peers.get(nodeId) ?? null,
  }));
}

function openIncidents({ parts: { ledger } }: Federation) {
  const found = selectOpenIncidents(ledger.read, INCIDENTS_MAX).filter(({ kind }) => isFederationIncident(kind));
  return found.slice(0, INCIDENTS_SHOWN_MAX).map(({ id, kind, subject, detail, openedAt }) => ({
    id,
    kind,
    detail,
    openedAt: new Date(openedAt).toISOString(),
    ...describeIncident({ kind, subject }),
  }));
}

function peerStatus(federation: Federation, view: StoreView | null, other: OtherNode) {
  const { nodeId, node, known, peer } = other;
  const { ledger, clock, isTrustNeeded } = federation.parts;
  const { wallMs } = clock.now();
  const trust = peer?.trust ?? ('known' as const);
  const shownKey = node?.keys.publicKey ?? null;
  const pinnedKey = peer === null || peer.publicKey === '' ? null : peer.publicKey;
  const standing = judgeStanding({ trust, pinnedKey, shownKey, isTrustNeeded });
  const missing = federation.plane.missingOf(nodeId);
  const record = node ?? known?.record ?? null;
  return {
    nodeId,
    alive: node?.isAlive ?? false,
    life: judgeLife(node && { status: node.status, ageMs: node.silentMs }),
    standing,
    ...readPlace(federation, view, other),
    gaps: (missing === null ? 0 : 1) + countTombstones(ledger.read, nodeId),
    missing: missing && {
      first: missing.first,
      last: missing.last,
      since: new Date(wallMs - missing.waitedMs).toISOString(),
    },
    lost: selectLost(ledger.read, nodeId, LOST_SHOWN_MAX).map(({ first, last }) => ({ first, last })),
    trust,
    agents: record === null ? [] : peerAgents(record, view),
    agentsTotal: record?.agents.length ?? 0,
    room: record?.room ?? 0,
    version: cut(record?.version ?? ''),
    heartbeatAt: readInstant(record?.heartbeatAt ?? ''),
    seenAt: known === null ? null : new Date(known.seenAt).toISOString(),
    keyId: shortKeyId(pinnedKey ?? shownKey ?? ''),
    shownKeyId: pinnedKey !== null && shownKey !== null && shownKey !== pinnedKey ? shortKeyId(shownKey) : null,
  };
}

/** How far this node has read the outbox of another. */
function readPlace({ parts: { ledger } }: Federation, view: StoreView | null, { nodeId, node }: OtherNode) {
  const cursor = selectCursor(ledger.read, nodeId);
  if (node === null) return { seq: cursor?.lastSeq ?? 0, cursor: cursor?.lastSeq ?? 0, lag: 0 };
  const notice = view?.ends.get(nodeId) ?? null;
  // A node that sent nothing here has no events that this one could lack.
  const told = notice?.epoch === node.epoch ? Math.max(notice.seq, node.seq) : node.seq;
  const at = cursor?.epoch === node.epoch ? cursor.lastSeq : 0;
  return { seq: Math.max(told, at), cursor: at, lag: notice === null ? 0 : Math.max(0, told - at) };
}

function peerAgents({ nodeId, agents }: NodeRecord, view: StoreView | null) {
  const isOwner = (name: string) => view?.owners.get(name) === nodeId;
  return agents.slice(0, AGENTS_SHOWN_MAX).map((agent) => ({ ...cutAgent(agent), isOwner: isOwner(agent.name) }));
}

function cutAgent({ name, role, provider, model, load, slots }: PresentedAgent): PresentedAgent {
  return { name: cut(name), role: cut(role), provider: cut(provider), model: cut(model), load, slots };
}

function cut(text: string): string {
  const characters = [...text.slice(0, 2 * WORD_CHARACTERS_MAX)];
  if (characters.length <= WORD_CHARACTERS_MAX) return text;
  return `${characters.slice(0, WORD_CHARACTERS_MAX - 1).join('')}…`;
}

/** The time that a node gives for its heartbeat; null where it is none. */
function readInstant(text: string): string | null {
  const ms = text.length > WORD_CHARACTERS_MAX ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}
