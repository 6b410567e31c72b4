import { splitAddress } from '../../domain/federation/choose-recipients.ts';
import { isAlive } from '../../domain/federation/decide-ownership.ts';
import { JOIN_REQUESTS_MAX } from '../../domain/federation/federation-limits.ts';
import { OPERATOR } from '../../domain/task/decide-sender.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { type Peer, type PeerTrust, selectPeer, upsertPeer } from '../../ledger/statements/federation/peers.ts';
import { countOpenKinds, selectOpenIncident } from '../../ledger/statements/incidents.ts';
import type { Tx } from '../../ledger/tx.ts';
import { closeRefused } from '../inbox.ts';
import type { Recipient } from '../outbox.ts';
import { closeHaltedGap } from '../pass-gap.ts';
import { isNodeName, KEYS, readRecord } from '../records.ts';
import { type Entry, type Transport, TransportFault } from '../transport.ts';
import { closeNodeIncident, openNodeIncident } from './federation-incident.ts';
import { areOwnKeys, type NodeRecord, readNodeRecord } from './node-record.ts';

/** A node as the control plane has it now. */
export interface FoundNode extends NodeRecord {
  readonly isAlive: boolean;
  readonly ageMs: number;
  readonly revision: number;
}

/** The record `agents.<agentId>`: who owns an agent that several nodes could have. */
export interface AgentRecord {
  readonly agentId: string;
  readonly ownerNodeId: string;
  readonly fence: number;
  readonly revision: number;
}

export interface DirectoryParts {
  readonly nodeId: string;
  readonly ledger: Pick<Ledger, 'read' | 'submit'>;
  readonly transport: Transport;
  /** Only nodes that a person has trusted are accepted. */
  readonly isTrustNeeded: boolean;
}

/** Routes that are remembered for the time when the store is away. */
const ROUTES_MAX = 10_000;

/** Looks nodes and agents up when they are needed; nobody watches all of them. */
export class Directory {
  readonly #parts: DirectoryParts;
  /** The last route to each address that was looked up here. */
  readonly #routes = new Map<string, Recipient>();

  constructor(parts: DirectoryParts) {
    this.#parts = parts;
  }

  async node(nodeId: string): Promise<FoundNode | null> {
    if (!isNodeName(nodeId)) return null;
    const entry = await this.#parts.transport.get(KEYS.node(nodeId));
    return entry && foundNode(entry);
  }

  async nodes(): Promise<readonly FoundNode[]> {
    const entries = await this.#parts.transport.list(KEYS.nodes);
    return entries.flatMap((entry) => foundNode(entry) ?? []);
  }

  async agent(agentId: string): Promise<AgentRecord | null> {
    const entry = isNodeName(agentId.replaceAll('.', '-'))
      ? await this.#parts.transport.get(KEYS.agent(agentId))
      : null;
    return entry && readAgentRecord(entry);
  }

  /** The agents that are owned by a node that lives, by name. */
  async activeAgents(): Promise<readonly Recipient[]> {
    const [nodes, entries] = await Promise.all([this.nodes(), this.#parts.transport.list(KEYS.agents)]);
    const alive = new Set(nodes.filter((node) => node.isAlive).map(({ nodeId }) => nodeId));
    return entries.flatMap((entry) => {
      const record = readAgentRecord(entry);
      if (!record || !alive.has(record.ownerNodeId)) return [];
      return [{ agent: record.agentId, node: record.ownerNodeId, fence: record.fence }];
    });
  }

  /**
   * As `routeTo`, but while the store cannot be reached the last route known here counts: a message waits in the outbox, and is sent
   * again by another route if its recipient has moved meanwhile.
   */
  async routeOrLast(address: string): Promise<Recipient | null> {
    try {
      return await this.routeTo(address);
    } catch (error) {
      const last = error instanceof TransportFault && error.retryable ? this.#lastRoute(address) : null;
      if (last === null) throw error;
      return last;
    }
  }

  #lastRoute(address: string): Recipient | null {
    const node = splitAddress(address)[1] ?? address;
    const isPeer = selectPeer(this.#parts.ledger.read, node) !== null;
    return this.#routes.get(address) ?? (isPeer ? { agent: address, node, fence: null } : null);
  }

  /** The node that has an agent, dead or alive; null for an agent that nobody has. */
  async routeTo(address: string): Promise<Recipient | null> {
    const route = await this.#lookUp(address);
    this.#routes.delete(address);
    if (route && this.#routes.size < ROUTES_MAX) this.#routes.set(address, route);
    return route;
  }

  async #lookUp(address: string): Promise<Recipient | null> {
    const [name, at] = splitAddress(address);
    if (at !== null) {
      const node = await this.#met(at);
      return node?.agents.some((agent) => agent.name === name) ? { agent: address, node: at, fence: null } : null;
    }
    const owner = await this.agent(name);
    if (owner) {
      await this.#met(owner.ownerNodeId);
      return { agent: name, node: owner.ownerNodeId, fence: owner.fence };
    }
    return (await this.#met(name)) ? { agent: name, node: name, fence: null } : null;
  }

  async #met(nodeId: string): Promise<FoundNode | null> {
    const node = await this.node(nodeId);
    if (node) await this.pin(node);
    return node;
  }

  /** Learns the keys of a node, where the control plane has them. */
  async meet(nodeId: string): Promise<void> {
    await this.#met(nodeId);
  }

  /** The first keys of a node are pinned; others for the same name are reported and not used. */
  async pin({ nodeId, keys }: NodeRecord): Promise<void> {
    const { ledger, isTrustNeeded, nodeId: self } = this.#parts;
    const known = selectPeer(ledger.read, nodeId);
    const isSame = known?.publicKey === keys.publicKey && known.exchangeKey === keys.exchangeKey;
    const isAsking = isTrustNeeded && nodeId !== self;
    // A person has decided about the others.
    const isOpen = known?.trust === 'known' && selectOpenIncident(ledger.read, joinRequest(nodeId)) !== null;
    if (isSame && (known.trust !== 'known' || isOpen === isAsking)) return;
    if (areOwnKeys(nodeId, keys)) await ledger.submit(pinPeer, { nodeId, ...keys, isAsking });
  }

  /** To seal frames for it. */
  exchangeKeyOf(nodeId: string): string | null {
    return selectPeer(this.#parts.ledger.read, nodeId)?.exchangeKey ?? null;
  }

  /** To open frames of it; null if nothing of it is accepted. */
  acceptedKeyOf(nodeId: string): string | null {
    const peer = selectPeer(this.#parts.ledger.read, nodeId);
    return peer && isAccepted(peer, this.#parts.isTrustNeeded || nodeId === '') ? peer.exchangeKey : null;
  }
}

function isAccepted({ trust }: Peer, isTrustNeeded: boolean): boolean {
  return trust === 'trusted' || (trust === 'known' && !isTrustNeeded);
}

function foundNode(entry: Entry): FoundNode | null {
  const record = readNodeRecord(entry.value);
  if (!record || KEYS.node(record.nodeId) !== entry.key) return null;
  const { ageMs, revision } = entry;
  return { ...record, ageMs, revision, isAlive: isAlive({ status: record.status, ageMs }) };
}

export function readAgentRecord({ key, value, revision }: Entry): AgentRecord | null {
  const { agentId, ownerNodeId, fence } = readRecord(value);
  if (typeof agentId !== 'string' || KEYS.agent(agentId) !== key) return null;
  if (typeof ownerNodeId !== 'string' || !Number.isSafeInteger(fence)) return null;
  return { agentId, ownerNodeId, fence: fence as number, revision };
}

interface PresentedKeys {
  readonly nodeId: string;
  readonly publicKey: string;
  readonly exchangeKey: string;
}

const changedKey = (nodeId: string) => `changed_key:${nodeId}`;
const JOIN_REQUEST = 'join_request:';
const joinRequest = (nodeId: string) => `${JOIN_REQUEST}${nodeId}`;

interface PinnedKeys extends PresentedKeys {
  /** Nothing of it is accepted before a person trusts it. */
  readonly isAsking: boolean;
}

const pinPeer: Command<PinnedKeys, { readonly isPinned: boolean }> = (tx, pinned) => {
  const { nodeId, publicKey, exchangeKey } = pinned;
  const known = selectPeer(tx, nodeId);
  if (known === null) {
    const firstSeenAt = tx.moment.now.wallMs;
    upsertPeer(tx, { node: nodeId, publicKey, exchangeKey, trust: 'known', firstSeenAt, cursor: null });
  } else if (known.publicKey !== publicKey || known.exchangeKey !== exchangeKey) {
    reportChangedKey(tx, nodeId, known.trust);
    return { isPinned: false };
  }
  if (known === null || known.trust === 'known') askForTrust(tx, pinned);
  return { isPinned: true };
};

/** A removed node may show any key: nothing of it is accepted. */
function reportChangedKey(tx: Tx, nodeId: string, trust: PeerTrust): void {
  const kind = changedKey(nodeId);
  if (trust === 'removed' || selectOpenIncident(tx, kind) !== null) return;
  const detail = `node ${nodeId} presents another key than before: nothing of it is accepted until you run baton node trust ${nodeId}`;
  openNodeIncident(tx, { kind, detail }, nodeId);
}

/** Anybody who can write to the store can make up nodes: beyond a number of them nobody is asked. */
function askForTrust(tx: Tx, { nodeId, isAsking }: PinnedKeys): void {
  const kind = joinRequest(nodeId);
  const id = selectOpenIncident(tx, kind);
  if (!isAsking) closeNodeIncident(tx, { id, kind }, OPERATOR);
  if (!isAsking || id !== null || countOpenKinds(tx, JOIN_REQUEST) >= JOIN_REQUESTS_MAX) return;
  const detail = `node ${nodeId} has something for this node: nothing of it is accepted until you run baton node trust ${nodeId}`;
  openNodeIncident(tx, { kind, detail }, nodeId);
}

export interface TrustChange {
  readonly nodeId: string;
  readonly trust: PeerTrust;
  /** The keys that the node presents now, which a person has accepted; absent leaves those that are pinned. */
  readonly keys?: Pick<PresentedKeys, 'publicKey' | 'exchangeKey'>;
}

/** A person trusts a node with the keys that it presents, or removes it. */
export const changeTrust: Command<TrustChange, { readonly nodeId: string; readonly trust: PeerTrust }> = (
  tx,
  { nodeId, trust, keys },
) => {
  const known = selectPeer(tx, nodeId);
  const firstSeenAt = known?.firstSeenAt ?? tx.moment.now.wallMs;
  const own = keys ?? { publicKey: known?.publicKey ?? '', exchangeKey: known?.exchangeKey ?? '' };
  const { publicKey, exchangeKey } = own;
  upsertPeer(tx, { node: nodeId, publicKey, exchangeKey, trust, firstSeenAt, cursor: known?.cursor ?? null });
  for (const kind of [changedKey(nodeId), joinRequest(nodeId)]) {
    closeNodeIncident(tx, { id: selectOpenIncident(tx, kind), kind }, OPERATOR);
  }
  closeRefused(tx, nodeId);
  if (trust === 'removed') closeHaltedGap(tx, nodeId);
  return { nodeId, trust };
};
