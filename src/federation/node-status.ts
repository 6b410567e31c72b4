import { createHash } from 'node:crypto';
import { countTombstones, selectCursor } from '../ledger/statements/inbox.ts';
import { selectOpenIncidents } from '../ledger/statements/incidents.ts';
import { type Peer, selectPeer, selectPeers } from '../ledger/statements/peers.ts';
import type { FoundNode } from './directory.ts';
import { ownEnd } from './epoch.ts';
import type { Federation } from './federation.ts';
import { KEYS, readNotice } from './records.ts';

const INCIDENTS_MAX = 100;
const KEY_ID_CHARACTERS = 16;
const FEDERATION_KINDS = /^(gap|gap_halted:.*|undelivered|changed_key:.*|refused_frame:.*|federation_.*)$/;

/** The beginning of the hash of a public key, for people to compare. */
export function shortKeyId(publicKey: string): string {
  return createHash('sha256').update(Buffer.from(publicKey, 'base64url')).digest('hex').slice(0, KEY_ID_CHARACTERS);
}

/** This node and the others, as the control plane and the ledger have them now. */
export async function nodeStatus(federation: Federation) {
  const { nodeId, transport, ledger, key } = federation.parts;
  const nodes = transport.isConnected ? await federation.directory.nodes() : [];
  const found = nodes.filter((node) => node.nodeId !== nodeId);
  const peers = await Promise.all(found.map((node) => peerStatus(federation, node)));
  const remembered = selectPeers(ledger.read).filter(
    ({ node }) => node !== nodeId && !found.some((one) => one.nodeId === node),
  );
  const incidents = selectOpenIncidents(ledger.read, INCIDENTS_MAX).filter(({ kind }) => FEDERATION_KINDS.test(kind));
  return {
    nodeId,
    transport: transport.name,
    connected: transport.isConnected,
    peers: [...peers, ...remembered.map((peer) => silentPeer(federation, peer))],
    incidents: incidents.map(({ id, kind, detail, openedAt }) => ({
      id,
      kind,
      detail,
      openedAt: new Date(openedAt).toISOString(),
    })),
    ...ownEnd(ledger.read),
    keyId: shortKeyId(Buffer.from(key.publicKey).toString('base64url')),
    owned: federation.presence.owned,
  };
}

async function peerStatus(federation: Federation, node: FoundNode) {
  const { ledger, transport, nodeId } = federation.parts;
  const cursor = selectCursor(ledger.read, node.nodeId);
  const entry = await transport.get(KEYS.route(nodeId, node.nodeId));
  const notice = entry && readNotice(entry);
  // A node that sent nothing here has no events that this one could lack.
  const told = notice?.epoch === node.epoch ? Math.max(notice.seq, node.seq) : node.seq;
  const at = cursor?.epoch === node.epoch ? cursor.lastSeq : 0;
  const peer = selectPeer(ledger.read, node.nodeId);
  return {
    nodeId: node.nodeId,
    alive: node.isAlive,
    seq: Math.max(told, at),
    cursor: at,
    lag: notice === null ? 0 : Math.max(0, told - at),
    gaps: federation.plane.gapsOf(node.nodeId) + countTombstones(ledger.read, node.nodeId),
    trust: peer?.trust ?? ('known' as const),
    agents: await peerAgents(federation, node),
    version: node.version,
    heartbeatAt: node.heartbeatAt === '' ? null : node.heartbeatAt,
    keyId: shortKeyId(peer?.publicKey ?? node.keys.publicKey),
  };
}

/** A node that this one has met and that the control plane does not show, because it or the store is away. */
function silentPeer({ parts: { ledger }, plane }: Federation, { node, trust, publicKey }: Peer) {
  const at = selectCursor(ledger.read, node)?.lastSeq ?? 0;
  return {
    nodeId: node,
    alive: false,
    seq: at,
    cursor: at,
    lag: 0,
    gaps: plane.gapsOf(node) + countTombstones(ledger.read, node),
    trust,
    agents: [],
    version: '',
    heartbeatAt: null,
    keyId: shortKeyId(publicKey),
  };
}

async function peerAgents({ directory }: Federation, { nodeId, agents }: FoundNode) {
  return await Promise.all(
    agents.map(async (agent) => ({ ...agent, isOwner: (await directory.agent(agent.name))?.ownerNodeId === nodeId })),
  );
}
