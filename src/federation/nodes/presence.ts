import { decideJoin, decideOwnership, isAlive, isLeaseValid } from '../../domain/federation/decide-ownership.ts';
import { type StoreAbsence, silenceMs } from '../../domain/federation/judge-peer.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import { isoInstant } from '../envelope.ts';
import { KEYS } from '../records.ts';
import type { Entry, Transport } from '../transport.ts';
import { readAgentRecord } from './directory.ts';
import { type NodeRecord, readNodeRecord } from './node-record.ts';

export interface PresenceParts {
  readonly nodeId: string;
  /** One process of the node. */
  readonly instance: string;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly log: Logger;
  /** The last time in which the store could not be reached. */
  absence(): StoreAbsence | null;
  /** The facts of the record that change. */
  facts(): Omit<NodeRecord, 'nodeId' | 'status' | 'instance' | 'heartbeatAt'>;
}

const TRIES_MAX = 8;

/** The heartbeat of this node, and the agents that it owns in the federation. */
export class Presence {
  readonly #parts: PresenceParts;
  #revision = 0;
  #beatAtMs: number | null = null;
  #isNameTaken = false;
  #hasJoined = false;
  readonly #owned = new Map<string, number>();

  constructor(parts: PresenceParts) {
    this.#parts = parts;
  }

  /** Another process lives under the name of this node. */
  get isNameTaken(): boolean {
    return this.#isNameTaken;
  }

  get isLeaseValid(): boolean {
    return this.#beatAtMs !== null && isLeaseValid(this.#parts.clock.now().monotonicMs - this.#beatAtMs);
  }

  /** The fence under which this node owns an agent; null if it does not. */
  fenceOf(agent: string): number | null {
    return this.#owned.get(agent) ?? null;
  }

  get owned(): readonly string[] {
    return [...this.#owned.keys()];
  }

  /** Renews the record of this node, then the ownership of its agents. False if the name is taken. */
  async beat(): Promise<boolean> {
    const { clock } = this.#parts;
    const startedMs = clock.now().monotonicMs;
    if (!(await this.#write('active'))) return false;
    // From before the call: the record is at least as young as this node believes.
    this.#beatAtMs = startedMs;
    for (const { name } of this.#parts.facts().agents) await this.#own(name);
    return true;
  }

  /** Others may take over at once. */
  async leave(): Promise<void> {
    this.#owned.clear();
    this.#beatAtMs = null;
    await this.#write('left');
  }

  async #write(status: NodeRecord['status']): Promise<boolean> {
    const { nodeId, instance, transport, clock } = this.#parts;
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const record = { nodeId, status, instance, heartbeatAt: isoInstant(clock.now().wallMs), ...this.#parts.facts() };
      const written = await transport.put(KEYS.node(nodeId), JSON.stringify(record), this.#revision);
      if (written !== null) {
        this.#revision = written;
        this.#hasJoined = true;
        this.#isNameTaken = false;
        return true;
      }
      if (!(await this.#lookAgain())) return false;
    }
    return false;
  }

  /** The record was lost with the store, or somebody declared this node dead, or another process has the name. */
  async #lookAgain(): Promise<boolean> {
    const { nodeId, instance, transport, log } = this.#parts;
    const entry = await transport.get(KEYS.node(nodeId));
    const found = entry && readNodeRecord(entry.value);
    this.#revision = entry?.revision ?? 0;
    if (found?.status === 'dead') log.log('federation.declared_dead', { node: nodeId });
    const { publicKey } = this.#parts.facts().keys;
    const present = found && entry ? { ...found, publicKey: found.keys.publicKey, ageMs: entry.ageMs } : null;
    const verdict = decideJoin(present, { instance, publicKey, hasJoined: this.#hasJoined });
    this.#isNameTaken = verdict.kind === 'taken';
    // What was owned before may belong to others now.
    this.#owned.clear();
    return verdict.kind === 'join';
  }

  async #own(agent: string): Promise<void> {
    const { nodeId, transport, log } = this.#parts;
    const key = KEYS.agent(agent);
    const entry = await transport.get(key);
    const record = entry && readAgentRecord(entry);
    const owner = record && { node: record.ownerNodeId, fence: record.fence };
    const isOther = owner !== null && owner.node !== nodeId;
    const ownerNode = isOther ? await transport.get(KEYS.node(owner.node)) : null;
    const verdict = decideOwnership(owner, nodeId, isLiving(ownerNode, this.#parts.absence()));
    switch (verdict.kind) {
      case 'stand-by':
        this.#owned.delete(agent);
        return;
      case 'keep':
        this.#owned.set(agent, verdict.fence);
        return;
      case 'take':
        if (ownerNode !== null && !(await this.#declareDead(ownerNode))) return;
        break;
      case 'register':
        break;
    }
    const value = {
      agentId: agent,
      ownerNodeId: nodeId,
      fence: verdict.fence,
      status: 'active',
      ...this.#about(agent),
    };
    const written = await transport.put(key, JSON.stringify(value), entry?.revision ?? 0);
    if (written === null) return void this.#owned.delete(agent);
    this.#owned.set(agent, verdict.fence);
    if (verdict.kind === 'take') log.log('federation.agent_taken', { agent, from: owner?.node, fence: verdict.fence });
  }

  #about(agent: string) {
    const found = this.#parts.facts().agents.find(({ name }) => name === agent);
    const updatedAt = isoInstant(this.#parts.clock.now().wallMs);
    return { role: found?.role ?? '', provider: found?.provider ?? '', model: found?.model ?? '', updatedAt };
  }

  /** Fails if the node has lived since: an old read never takes an agent away from a live owner. */
  async #declareDead(entry: Entry): Promise<boolean> {
    const record = readNodeRecord(entry.value);
    if (record?.status === 'left' || record?.status === 'dead') return true;
    const value = JSON.stringify({ ...(record ?? {}), status: 'dead' });
    return (await this.#parts.transport.put(entry.key, value, entry.revision)) !== null;
  }
}

function isLiving(entry: Entry | null, absence: StoreAbsence | null): boolean {
  const record = entry && readNodeRecord(entry.value);
  if (record === null || entry === null) return false;
  return isAlive({ status: record.status, ageMs: silenceMs(entry.ageMs, absence) });
}
