import { splitAddress } from '../../domain/federation/choose-recipients.ts';
import { KNOWN_NODE_BYTES_MAX, KNOWN_NODES_MAX, KNOWN_WRITTEN_MS } from '../../domain/federation/federation-limits.ts';
import { judgeLife, type PeerLife } from '../../domain/federation/judge-peer.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import {
  deleteKnownNodesBeyond,
  type KnownNodeRow,
  selectKnownNodes,
  upsertKnownNode,
} from '../../ledger/statements/federation/known-nodes.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Recipient } from '../outbox.ts';
import { type NodeRecord, readNodeRecord } from './node-record.ts';

/** Another node as it was seen last. */
export interface KnownNode {
  readonly record: NodeRecord;
  readonly life: PeerLife;
  /** Its last sign of life, in milliseconds since 1970, by the clock of this node. */
  readonly seenAt: number;
}

/** The record of a node as the control plane has it now. */
export interface SeenNode extends NodeRecord {
  /** The time since its last sign of life. */
  readonly ageMs: number;
  /** The same without the time in which nobody could write to the store. */
  readonly silentMs: number;
}

export interface KnownNodesParts {
  readonly nodeId: string;
  readonly ledger: Pick<Ledger, 'read' | 'submit'>;
  readonly clock: Clock;
}

interface RememberedNode extends KnownNode {
  /** As the ledger has it; null before. */
  readonly written: { readonly about: string; readonly seenAt: number } | null;
}

/**
 * The other nodes of the federation, as this one saw them last: for the time when the store is away, or came back empty. A change of a
 * node is written to the ledger at once, the time of its last sign of life now and then.
 */
export class KnownNodes {
  readonly #parts: KnownNodesParts;
  #nodes: Map<string, RememberedNode> | null = null;

  constructor(parts: KnownNodesParts) {
    this.#parts = parts;
  }

  all(): readonly KnownNode[] {
    return [...this.#known().values()];
  }

  get(nodeId: string): KnownNode | null {
    return this.#known().get(nodeId) ?? null;
  }

  /** The node that has an agent, as far as it is known; null for an agent that nobody is known to have. */
  routeTo(address: string): Recipient | null {
    const [name, at] = splitAddress(address);
    const has = ({ record }: KnownNode) => record.agents.some((agent) => agent.name === name);
    if (at !== null) {
      const node = this.get(at);
      return node && has(node) ? { agent: address, node: at, fence: null } : null;
    }
    // Of several the one that lived last is asked; it refuses what is not its own, and the next try goes to the owner.
    const [owner] = this.all()
      .filter(has)
      .sort((one, other) => rankOf(other.life) - rankOf(one.life) || other.seenAt - one.seenAt);
    if (owner) return { agent: name, node: owner.record.nodeId, fence: null };
    return this.get(address) ? { agent: address, node: address, fence: null } : null;
  }

  /** The agents of nodes that lived when they were seen last, each once. */
  activeAgents(): readonly Recipient[] {
    const living = this.all().filter(({ life }) => life === 'alive' || life === 'silent');
    const names = new Set(living.flatMap(({ record }) => record.agents.map(({ name }) => name)));
    return [...names].flatMap((name) => this.routeTo(name) ?? []);
  }

  /** Remembers nodes as they are seen now. */
  async note(seen: readonly SeenNode[]): Promise<void> {
    const { nodeId, clock } = this.#parts;
    const known = this.#known();
    const { wallMs } = clock.now();
    let isDue = false;
    for (const { ageMs, silentMs, ...found } of seen) {
      const record = recordOf(found);
      if (record.nodeId === nodeId) continue;
      const life = judgeLife({ status: record.status, ageMs: silentMs });
      const written = known.get(record.nodeId)?.written ?? null;
      const node = { record, life, seenAt: seenAtOf(record, wallMs - ageMs), written };
      known.set(record.nodeId, node);
      isDue ||= hasChanged(node) || node.seenAt - (written?.seenAt ?? 0) >= KNOWN_WRITTEN_MS;
    }
    if (isDue) await this.flush();
  }

  /** Writes what is not in the ledger yet. */
  async flush(): Promise<void> {
    const known = this.#known();
    const rows = [...known.values()].filter((node) => hasChanged(node) || node.seenAt !== node.written?.seenAt);
    if (rows.length === 0) return;
    await this.#parts.ledger.submit(rememberNodes, { rows: rows.map(rowOf) });
    for (const node of rows) {
      const { nodeId } = node.record;
      if (known.get(nodeId) !== node) continue;
      known.set(nodeId, { ...node, written: { about: aboutOf(node), seenAt: node.seenAt } });
    }
    // The ledger has removed some.
    if (known.size > KNOWN_NODES_MAX) this.#nodes = null;
  }

  #known(): Map<string, RememberedNode> {
    this.#nodes ??= new Map(selectKnownNodes(this.#parts.ledger.read).flatMap(readRow));
    return this.#nodes;
  }
}

/** Nothing of what stands beside it. */
function recordOf(found: NodeRecord): NodeRecord {
  const { nodeId, status, instance, keys, epoch, seq, heartbeatAt, startedAt, version, room, agents, skills } = found;
  return { nodeId, status, instance, keys, epoch, seq, heartbeatAt, startedAt, version, room, agents, skills };
}

const RANKS: Readonly<Record<PeerLife, number>> = { alive: 4, silent: 3, dead: 2, unseen: 1, left: 0 };

function rankOf(life: PeerLife): number {
  return RANKS[life];
}

/** Another node that declared it dead has written its record since: then only its own clock tells. */
function seenAtOf({ status, heartbeatAt }: NodeRecord, writtenAt: number): number {
  const told = status === 'dead' ? Date.parse(heartbeatAt) : Number.NaN;
  return Number.isNaN(told) ? writtenAt : Math.min(told, writtenAt);
}

/** The part of a record that people and routes depend on; the rest changes with every heartbeat. */
function aboutOf({ record, life }: KnownNode): string {
  const agents = record.agents.map(({ name, role, provider, model }) => ({ name, role, provider, model }));
  return JSON.stringify([life, record.version, record.keys, agents]);
}

function hasChanged(node: RememberedNode): boolean {
  return node.written?.about !== aboutOf(node);
}

function rowOf({ record, life, seenAt }: KnownNode): KnownNodeRow {
  const whole = JSON.stringify(record);
  // Anybody may have written it. A node is known without its agents rather than not at all.
  const text = whole.length <= KNOWN_NODE_BYTES_MAX ? whole : JSON.stringify({ ...record, agents: [], skills: [] });
  return { node: record.nodeId, record: text, life, seenAt };
}

function readRow({ node, record: text, life, seenAt }: KnownNodeRow): readonly (readonly [string, RememberedNode])[] {
  const record = readNodeRecord(text);
  if (record === null) return [];
  const known = { record, life, seenAt };
  return [[node, { ...known, written: { about: aboutOf(known), seenAt } }]];
}

const rememberNodes: Command<{ readonly rows: readonly KnownNodeRow[] }, { readonly count: number }> = (
  tx,
  { rows },
) => {
  for (const row of rows) upsertKnownNode(tx, row);
  deleteKnownNodesBeyond(tx, KNOWN_NODES_MAX);
  return { count: rows.length };
};
