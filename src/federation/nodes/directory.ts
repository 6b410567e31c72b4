import { splitAddress } from '../../domain/federation/choose-recipients.ts';
import { isAlive } from '../../domain/federation/decide-ownership.ts';
import { STORE_ANSWER_MS_MAX } from '../../domain/federation/federation-limits.ts';
import { type StoreAbsence, silenceMs } from '../../domain/federation/judge-peer.ts';
import type { RouteNode } from '../../domain/federation/route-task.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { type Peer, selectPeer } from '../../ledger/statements/federation/peers.ts';
import { selectOpenIncident } from '../../ledger/statements/incidents.ts';
import { waitAtMost } from '../../platform/timer.ts';
import type { Recipient } from '../outbox.ts';
import { isNodeName, KEYS, readRecord } from '../records.ts';
import { type Entry, type Transport, TransportFault } from '../transport.ts';
import type { KnownNodes } from './known-nodes.ts';
import { areOwnKeys, type NodeRecord, readNodeRecord } from './node-record.ts';
import { joinRequest, pinPeer } from './peer-keys.ts';

/** A node as the control plane has it now. */
export interface FoundNode extends NodeRecord {
  readonly isAlive: boolean;
  /** The time since its last sign of life, by the clock of the store. */
  readonly ageMs: number;
  /** The same without the time in which nobody could write to the store. */
  readonly silentMs: number;
  readonly revision: number;
}

/** The record `agents.<agentId>`: who owns an agent that several nodes could have. */
export interface AgentRecord {
  readonly agentId: string;
  readonly ownerNodeId: string;
  readonly fence: number;
  readonly revision: number;
}

/** The node that has an agent. */
export interface KnownOwner {
  readonly node: string;
  /** Null where the store has lost it. */
  readonly fence: number | null;
}

export interface DirectoryParts {
  readonly nodeId: string;
  readonly ledger: Pick<Ledger, 'read' | 'submit'>;
  readonly transport: Transport;
  /** Only nodes that a person has trusted are accepted. */
  readonly isTrustNeeded: boolean;
  /** The nodes as they were seen last. */
  readonly known: KnownNodes;
  /** The last time in which the store could not be reached. */
  absence(): StoreAbsence | null;
}

type InTime<Value> =
  | { readonly kind: 'found'; readonly value: Value }
  | { readonly kind: 'away'; readonly fault: TransportFault };

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
    const found = entry && this.#found(entry);
    if (found) await this.#parts.known.note([found]);
    return found;
  }

  async nodes(): Promise<readonly FoundNode[]> {
    const entries = await this.#parts.transport.list(KEYS.nodes);
    const found = entries.flatMap((entry) => this.#found(entry) ?? []);
    await this.#parts.known.note(found);
    return found;
  }

  #found(entry: Entry): FoundNode | null {
    const record = readNodeRecord(entry.value);
    if (!record || KEYS.node(record.nodeId) !== entry.key) return null;
    const { ageMs, revision } = entry;
    const silentMs = silenceMs(ageMs, this.#parts.absence());
    return { ...record, ageMs, silentMs, revision, isAlive: isAlive({ status: record.status, ageMs: silentMs }) };
  }

  async agent(agentId: string): Promise<AgentRecord | null> {
    const entry = isNodeName(agentId.replaceAll('.', '-'))
      ? await this.#parts.transport.get(KEYS.agent(agentId))
      : null;
    return entry && readAgentRecord(entry);
  }

  /** As `node`; where the store has lost its record, as it was seen last. */
  async nodeOrKnown(nodeId: string): Promise<RouteNode | null> {
    const found = await this.node(nodeId);
    const known = found === null ? this.#parts.known.get(nodeId) : null;
    if (known === null) return found;
    return { ...known.record, isAlive: known.life === 'alive' || known.life === 'silent' };
  }

  /** The owner of an agent. Where the store does not know any, and has lost the record of the node that had it, that one. */
  async agentOrKnown(agentId: string): Promise<KnownOwner | null> {
    const owner = await this.agent(agentId);
    if (owner) return { node: owner.ownerNodeId, fence: owner.fence };
    const last = this.#parts.known.routeTo(agentId);
    if (last === null || last.node === agentId || (await this.node(last.node)) !== null) return null;
    return { node: last.node, fence: last.fence };
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

  /** As `activeAgents`, with those that lived when they were seen last and that the store does not tell of. */
  async activeOrKnownAgents(): Promise<readonly Recipient[]> {
    const active = await this.#inTime(() => this.activeAgents());
    const told = new Set(active.kind === 'found' ? active.value.map(({ agent }) => agent) : []);
    const more = this.#parts.known.activeAgents().filter(({ agent }) => !told.has(agent));
    const lost = active.kind === 'away' ? more : await this.#onNodesWithoutRecord(more);
    if (active.kind === 'away' && lost.length === 0) throw active.fault;
    return [...(active.kind === 'found' ? active.value : []), ...lost];
  }

  async #onNodesWithoutRecord(recipients: readonly Recipient[]): Promise<readonly Recipient[]> {
    const isLost = new Map<string, boolean>();
    for (const { node } of recipients) if (!isLost.has(node)) isLost.set(node, (await this.node(node)) === null);
    return recipients.filter(({ node }) => isLost.get(node));
  }

  /** The answer of the store, unless it is away or takes too long. */
  async #inTime<Value>(ask: () => Promise<Value>): Promise<InTime<Value>> {
    const asked = ask().then(
      (value): InTime<Value> => ({ kind: 'found', value }),
      (error: unknown): InTime<Value> => {
        if (error instanceof TransportFault && error.retryable) return { kind: 'away', fault: error };
        throw error;
      },
    );
    if (await waitAtMost(asked, STORE_ANSWER_MS_MAX)) return await asked;
    return { kind: 'away', fault: new TransportFault('look up', 'the store of the federation does not answer') };
  }

  /**
   * As `routeTo`, but where the store is away, does not answer or came back empty, the agents that the ledger knows count: a message
   * waits in the outbox, and is sent again by another route if its recipient has moved meanwhile.
   */
  async routeOrLast(address: string): Promise<Recipient | null> {
    const now = await this.#inTime(() => this.routeTo(address));
    if (now.kind === 'found' && now.value !== null) return now.value;
    const last = this.#lastRoute(address);
    if (now.kind === 'found') return last !== null && (await this.#mayHave(last)) ? last : null;
    if (last === null) throw now.fault;
    return last;
  }

  #lastRoute(address: string): Recipient | null {
    const node = splitAddress(address)[1] ?? address;
    const isPeer = selectPeer(this.#parts.ledger.read, node) !== null;
    const known = this.#routes.get(address) ?? this.#parts.known.routeTo(address);
    return known ?? (isPeer ? { agent: address, node, fence: null } : null);
  }

  /** A store that has lost the record of a node says nothing about its agents. */
  async #mayHave({ agent, node: nodeId }: Recipient): Promise<boolean> {
    const node = await this.node(nodeId);
    const [name] = splitAddress(agent);
    return node === null || agent === nodeId || node.agents.some((found) => found.name === name);
  }

  /** The node that has an agent, dead or alive; null for an agent that nobody has. */
  async routeTo(address: string): Promise<Recipient | null> {
    const route = await this.#lookUp(address);
    // The last route stays known: the store may have lost the records of an agent that is still there.
    if (route === null) return null;
    this.#routes.delete(address);
    if (this.#routes.size < ROUTES_MAX) this.#routes.set(address, route);
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

export function readAgentRecord({ key, value, revision }: Entry): AgentRecord | null {
  const { agentId, ownerNodeId, fence } = readRecord(value);
  if (typeof agentId !== 'string' || KEYS.agent(agentId) !== key) return null;
  if (typeof ownerNodeId !== 'string' || !Number.isSafeInteger(fence)) return null;
  return { agentId, ownerNodeId, fence: fence as number, revision };
}
