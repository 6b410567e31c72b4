import type { KeyObject } from 'node:crypto';
import type { GapPolicy } from '../domain/federation/advance-cursor.ts';
import type { SkillRef } from '../domain/federation/capability.ts';
import type { Residents } from '../domain/federation/choose-recipients.ts';
import {
  NODE_HEARTBEAT_MS,
  NODES_LOOKED_AT_PER_SECOND,
  STORE_ANSWER_MS_MAX,
} from '../domain/federation/federation-limits.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { countOpenReceived } from '../ledger/statements/federation/received-tasks.ts';
import type { Clock } from '../platform/clock.ts';
import type { Ids } from '../platform/ids.ts';
import { faultFacts, type Logger } from '../platform/logger.ts';
import { Loop } from '../platform/loop.ts';
import type { NodeKey } from '../platform/node-key.ts';
import { type Timer, waitAtMost } from '../platform/timer.ts';
import { compactOutbox } from './compact.ts';
import { DataPlane } from './data-plane.ts';
import { ownEnd } from './epoch.ts';
import type { Inject } from './inbox.ts';
import { Directory } from './nodes/directory.ts';
import { KnownNodes } from './nodes/known-nodes.ts';
import { type NodeRecord, nodeKeysOf, type PresentedAgent } from './nodes/node-record.ts';
import { Presence } from './nodes/presence.ts';
import { StoreAbsences } from './nodes/store-absence.ts';
import type { Sender } from './outbox.ts';
import { type PolicyVersions, readPolicies } from './policies.ts';
import { Seals } from './seal.ts';
import type { ServedTasks } from './served-tasks.ts';
import type { Transport } from './transport.ts';
import { doQueued, restoreRecords } from './upkeep.ts';

const TICK_MS = 1_000;
const COMPACT_MS = 3_600_000;
/** A node that ends waits this long for the store to take its last events. */
const FLUSH_MS_MAX = 2_000;

export interface FederationParts {
  readonly nodeId: string;
  /** The name of the federation. */
  readonly federation: string;
  readonly transport: Transport;
  readonly ledger: Pick<Ledger, 'read' | 'submit' | 'onCommitted'>;
  readonly key: NodeKey;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly ids: Ids;
  readonly log: Logger;
  readonly version: string;
  readonly gapPolicy: GapPolicy;
  /** Only nodes that a person has trusted are accepted. */
  readonly isTrustNeeded: boolean;
  readonly inject: Inject;
  /** The agents that this node offers. */
  agents(): readonly PresentedAgent[];
  /** All agents that are configured here, offered or not. */
  isLocal(agent: string): boolean;
  /** The skills that resolve on this node. */
  skills(): readonly Required<SkillRef>[];
  /** The folder that skills of other nodes are installed in. */
  readonly skillsFolder: string;
  /** Tasks of others that this node takes at the same time. */
  readonly roomMax: number;
  /** Has tasks of others done; called once, when the rest of the federation is made. */
  tasksOf(federation: Federation): ServedTasks;
  /** Events of other nodes were stored. */
  onNews(): void;
}

/** One node's part in a federation: it publishes, reads, lives and owns. */
export class Federation {
  readonly parts: FederationParts;
  readonly directory: Directory;
  /** The other nodes as they were seen last. */
  readonly known: KnownNodes;
  readonly presence: Presence;
  readonly plane: DataPlane;
  readonly #loop: Loop;
  #policies: PolicyVersions = { routingPolicyVersion: '', capabilityPolicyVersion: '' };
  #beatDueMs = Number.NEGATIVE_INFINITY;
  #compactDueMs: number;
  #lookDueMs = Number.NEGATIVE_INFINITY;
  readonly #absences: StoreAbsences;
  readonly #startedAt: string;
  readonly #keys: NodeRecord['keys'];
  #joined: Promise<void> | null = null;
  readonly #tasks: ServedTasks;

  constructor(parts: FederationParts) {
    this.parts = parts;
    const { nodeId, ledger, transport, clock, timer, log } = parts;
    this.#startedAt = new Date(clock.now().wallMs).toISOString();
    this.#keys = nodeKeysOf(nodeId, parts.key);
    this.#compactDueMs = clock.now().monotonicMs + COMPACT_MS;
    this.#absences = new StoreAbsences(clock);
    const absence = () => this.#absences.last;
    this.known = new KnownNodes({ nodeId, ledger, clock });
    const { known } = this;
    this.directory = new Directory({ nodeId, ledger, transport, isTrustNeeded: parts.isTrustNeeded, known, absence });
    const instance = parts.ids.ulid();
    this.presence = new Presence({ nodeId, instance, transport, clock, log, absence, facts: () => this.#facts() });
    this.plane = new DataPlane({
      ...parts,
      seals: new Seals(parts.key.exchangeKey() satisfies KeyObject),
      sender: () => this.sender,
      residents: () => this.residents,
      routeTo: (agent) => this.directory.routeTo(agent),
      exchangeKeyOf: (node) => this.directory.exchangeKeyOf(node),
      acceptedKeyOf: (node) => (node === nodeId ? this.#keys.exchangeKey : this.directory.acceptedKeyOf(node)),
      meet: (node) => this.directory.meet(node),
      joined: () => this.joined(),
      onNews: () => {
        this.#tasks.wake();
        parts.onNews();
      },
    });
    this.#tasks = parts.tasksOf(this);
    const onFault = (error: unknown) => log.log('federation.failed', faultFacts(error));
    this.#loop = new Loop({ timer, everyMs: TICK_MS, tick: () => this.tick(), onFault });
  }

  get sender(): Sender {
    return { nodeId: this.parts.nodeId, ...this.#policies };
  }

  get residents(): Residents {
    const { nodeId, isLocal, agents } = this.parts;
    const { presence } = this;
    return {
      nodeId,
      everybody: () => agents().map(({ name }) => name),
      isLocal,
      fenceOf: (agent) => presence.fenceOf(agent),
      isLeaseValid: presence.isLeaseValid,
    };
  }

  async start(): Promise<void> {
    const { transport, log } = this.parts;
    // Before the plane hears of a connection, which then waits until the node has joined by it.
    transport.onConnected(() => {
      this.#absences.returned();
      this.#beatDueMs = Number.NEGATIVE_INFINITY;
      this.#joined = null;
    });
    await this.plane.start();
    transport.onConnected(() => {
      void this.joined().catch((error: unknown) => log.log('federation.failed', faultFacts(error)));
    });
    this.#tasks.start();
    this.#loop.start();
  }

  /** Resolves when the node has shown itself in the control plane since the last connection. */
  joined(): Promise<void> {
    this.#joined ??= this.#join();
    return this.#joined;
  }

  /** The same, unless the store does not answer: a call that the ledger can answer does not wait for it. */
  async joinedInTime(): Promise<void> {
    const { log } = this.parts;
    const joined = this.joined().catch((error: unknown) => log.log('federation.failed', faultFacts(error)));
    await waitAtMost(joined, STORE_ANSWER_MS_MAX);
  }

  async #join(): Promise<void> {
    const { transport, clock } = this.parts;
    try {
      this.#policies = await readPolicies(transport, clock.now().wallMs);
      await this.beat();
      // The store may have lost them while this node was away.
      await restoreRecords(this.parts);
    } catch (error) {
      this.#joined = null;
      throw error;
    }
  }

  /** Renews the record of this node now. */
  async beat(): Promise<void> {
    const { clock, nodeId, log } = this.parts;
    this.#beatDueMs = clock.now().monotonicMs + NODE_HEARTBEAT_MS;
    if (!(await this.presence.beat())) log.log('federation.name_taken', { node: nodeId });
    const self = await this.directory.node(nodeId);
    if (self) await this.directory.pin(self);
  }

  async tick(): Promise<void> {
    const { transport, clock } = this.parts;
    if (!transport.isConnected) return await this.#away();
    await this.joined();
    await this.plane.tick();
    await doQueued(this.parts, this.sender);
    await this.#tasks.restore();
    await this.#tasks.lookAfter();
    // Not awaited: the files of a task may take long, and the heartbeat must not wait for them.
    this.#tasks.wake();
    const nowMs = clock.now().monotonicMs;
    if (nowMs >= this.#beatDueMs) {
      await this.beat();
      this.#policies = await readPolicies(transport, clock.now().wallMs);
      await this.plane.checkStore();
      await restoreRecords(this.parts);
      await this.#look(nowMs);
    }
    if (nowMs >= this.#compactDueMs) {
      this.#compactDueMs = nowMs + COMPACT_MS;
      await compactOutbox(this.parts);
    }
  }

  /** The last signs of life are all that is known now. */
  async #away(): Promise<void> {
    this.#absences.lost();
    await this.known.flush();
  }

  /** Looks at all nodes: with every heartbeat in a small federation, seldom in a large one. */
  async #look(nowMs: number): Promise<void> {
    if (nowMs < this.#lookDueMs) return;
    const { length } = await this.directory.nodes();
    this.#lookDueMs = nowMs + (length / NODES_LOOKED_AT_PER_SECOND) * 1_000;
  }

  /** Gives the last events to the store and ends; with `isLeaving` others may take its agents over at once. */
  async stop({ isLeaving } = { isLeaving: false }): Promise<void> {
    await this.#loop.stop();
    await this.#tasks.stop();
    const { transport, log } = this.parts;
    await this.known.flush();
    await waitAtMost(Promise.allSettled([this.#joined, this.plane.published()]), FLUSH_MS_MAX);
    if (transport.isConnected && isLeaving) {
      await this.presence.leave().catch((error: unknown) => log.log('federation.failed', faultFacts(error)));
    }
    await this.plane.stop();
    await transport.close();
  }

  #facts(): ReturnType<ConstructorParameters<typeof Presence>[0]['facts']> {
    const { ledger, version, agents, skills, roomMax } = this.parts;
    const keys = this.#keys;
    const end = ownEnd(ledger.read);
    return {
      keys,
      ...end,
      startedAt: this.#startedAt,
      version,
      room: Math.max(0, roomMax - countOpenReceived(ledger.read)),
      agents: agents(),
      skills: skills().map(({ name, version: of }) => ({ name, version: of })),
    };
  }
}
