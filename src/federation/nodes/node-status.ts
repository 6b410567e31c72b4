import { createHash } from 'node:crypto';
import { describeIncident, isFederationIncident } from '../../domain/federation/describe-incident.ts';
import { judgeLife, judgeStanding } from '../../domain/federation/judge-peer.ts';
import { countTombstones, selectCursor, selectLost } from '../../ledger/statements/federation/inbox.ts';
import { type Peer, selectPeers } from '../../ledger/statements/federation/peers.ts';
import { selectOpenIncidents } from '../../ledger/statements/incidents.ts';
import { ownEnd } from '../epoch.ts';
import type { Federation } from '../federation.ts';
import { KEYS, readNotice } from '../records.ts';
import type { FoundNode } from './directory.ts';
import type { PresentedAgent } from './node-record.ts';

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

/** This node and the others, as the control plane and the ledger have them now. */
export async function nodeStatus(federation: Federation) {
  const { nodeId, transport, ledger, key, gapPolicy, isTrustNeeded, version } = federation.parts;
  const nodes = transport.isConnected ? await federation.directory.nodes() : [];
  const others = othersOf(nodes, selectPeers(ledger.read), nodeId);
  const { owned } = federation.presence;
  return {
    nodeId,
    federation: federation.parts.federation,
    transport: transport.name,
    connected: transport.isConnected,
    problem: transport.isConnected ? null : cutOrNull(transport.problem ?? null),
    version,
    trustRule: isTrustNeeded ? ('listed' as const) : ('first' as const),
    gapPolicy,
    agents: federation.parts.agents().map((agent) => ({ ...agent, isOwner: owned.includes(agent.name) })),
    peers: await Promise.all(others.slice(0, PEERS_SHOWN_MAX).map((other) => peerStatus(federation, other))),
    peersTotal: others.length,
    incidents: openIncidents(federation),
    ...ownEnd(ledger.read),
    keyId: shortKeyId(Buffer.from(key.publicKey).toString('base64url')),
    owned,
  };
}

interface OtherNode {
  readonly nodeId: string;
  /** Null where the control plane does not show it, because it or the store is away. */
  readonly node: FoundNode | null;
  /** Null before this node has met it. */
  readonly peer: Peer | null;
}

/** Nodes that this one has met come first: anybody who can write to the store can make up others. */
function othersOf(nodes: readonly FoundNode[], peers: readonly Peer[], self: string): readonly OtherNode[] {
  const found = new Map(nodes.map((node) => [node.nodeId, node]));
  const met = peers.map((peer) => ({ nodeId: peer.node, node: found.get(peer.node) ?? null, peer }));
  const known = new Set(peers.map(({ node }) => node));
  const unmet = nodes
    .filter(({ nodeId }) => !known.has(nodeId))
    .map((node) => ({ nodeId: node.nodeId, node, peer: null }));
  return [...met, ...unmet].filter(({ nodeId }) => nodeId !== self);
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

async function peerStatus(federation: Federation, other: OtherNode) {
  const { nodeId, node, peer } = other;
  const { ledger, clock, isTrustNeeded } = federation.parts;
  const { wallMs } = clock.now();
  const trust = peer?.trust ?? ('known' as const);
  const shownKey = node?.keys.publicKey ?? null;
  const pinnedKey = peer === null || peer.publicKey === '' ? null : peer.publicKey;
  const standing = judgeStanding({ trust, pinnedKey, shownKey, isTrustNeeded });
  const missing = federation.plane.missingOf(nodeId);
  return {
    nodeId,
    alive: node?.isAlive ?? false,
    life: judgeLife(node),
    standing,
    ...(await readPlace(federation, other)),
    gaps: (missing === null ? 0 : 1) + countTombstones(ledger.read, nodeId),
    missing: missing && {
      first: missing.first,
      last: missing.last,
      since: new Date(wallMs - missing.waitedMs).toISOString(),
    },
    lost: selectLost(ledger.read, nodeId, LOST_SHOWN_MAX).map(({ first, last }) => ({ first, last })),
    trust,
    agents: node === null ? [] : await peerAgents(federation, node),
    agentsTotal: node?.agents.length ?? 0,
    room: node?.room ?? 0,
    version: cut(node?.version ?? ''),
    heartbeatAt: readInstant(node?.heartbeatAt ?? ''),
    seenAt: node && seenAt(node, wallMs),
    keyId: shortKeyId(pinnedKey ?? shownKey ?? ''),
    shownKeyId: pinnedKey !== null && shownKey !== null && shownKey !== pinnedKey ? shortKeyId(shownKey) : null,
  };
}

/** Another node that declared it dead has written its record since: then only its own clock tells. */
function seenAt({ status, ageMs, heartbeatAt }: FoundNode, nowMs: number): string | null {
  return status === 'dead' ? readInstant(heartbeatAt) : new Date(nowMs - ageMs).toISOString();
}

/** How far this node has read the outbox of another. */
async function readPlace({ parts: { ledger, transport, nodeId: self } }: Federation, { nodeId, node }: OtherNode) {
  const cursor = selectCursor(ledger.read, nodeId);
  if (node === null) return { seq: cursor?.lastSeq ?? 0, cursor: cursor?.lastSeq ?? 0, lag: 0 };
  const entry = await transport.get(KEYS.route(self, nodeId));
  const notice = entry && readNotice(entry);
  // A node that sent nothing here has no events that this one could lack.
  const told = notice?.epoch === node.epoch ? Math.max(notice.seq, node.seq) : node.seq;
  const at = cursor?.epoch === node.epoch ? cursor.lastSeq : 0;
  return { seq: Math.max(told, at), cursor: at, lag: notice === null ? 0 : Math.max(0, told - at) };
}

async function peerAgents({ directory }: Federation, { nodeId, agents }: FoundNode) {
  return await Promise.all(
    agents.slice(0, AGENTS_SHOWN_MAX).map(async (agent) => ({
      ...cutAgent(agent),
      isOwner: (await directory.agent(agent.name))?.ownerNodeId === nodeId,
    })),
  );
}

function cutAgent({ name, role, provider, model, load, slots }: PresentedAgent): PresentedAgent {
  return { name: cut(name), role: cut(role), provider: cut(provider), model: cut(model), load, slots };
}

function cut(text: string): string {
  const characters = [...text.slice(0, 2 * WORD_CHARACTERS_MAX)];
  if (characters.length <= WORD_CHARACTERS_MAX) return text;
  return `${characters.slice(0, WORD_CHARACTERS_MAX - 1).join('')}…`;
}

function cutOrNull(text: string | null): string | null {
  return text === null ? null : cut(text);
}

/** The time that a node gives for its heartbeat; null where it is none. */
function readInstant(text: string): string | null {
  const ms = text.length > WORD_CHARACTERS_MAX ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}
