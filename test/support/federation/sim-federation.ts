import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { DataPlane } from '../../../src/federation/data-plane.ts';
import { MemoryStore } from '../../../src/federation/memory/memory-store.ts';
import { MemoryTransport } from '../../../src/federation/memory/memory-transport.ts';
import { appendEvent, type Sender } from '../../../src/federation/outbox.ts';
import { Seals } from '../../../src/federation/seal.ts';
import type { Command } from '../../../src/ledger/commit-queue.ts';
import { injectEvent } from '../../../src/messages/inject.ts';
import type { Ids } from '../../../src/platform/ids.ts';
import { silentLogger } from '../../../src/platform/logger.ts';
import { copyLedger, type MemoryLedger, openMemoryLedger } from '../ledger/memory-ledger.ts';
import { SimTime } from './sim-time.ts';

const HEARTBEAT_MS = 30_000;
export const KEY_POOL: readonly { readonly own: KeyObject; readonly exchange: string }[] = Array.from(
  { length: 8 },
  () => {
    const { privateKey } = generateKeyPairSync('x25519');
    return { own: privateKey, exchange: String(createPublicKey(privateKey).export({ format: 'jwk' }).x) };
  },
);

export interface SimParts {
  readonly time: SimTime;
  readonly store: MemoryStore;
  readonly names: readonly string[];
  readonly gapPolicy?: 'tombstone' | 'skip' | 'halt';
}

/** Ids that are unique among all nodes of a simulation, and the same in every repetition. */
export function simIds(name: string): Ids {
  let given = 0;
  const next = () => String(++given).padStart(8, '0');
  return { uuid: () => `uuid-${name}-${next()}`, ulid: () => `${name}${next()}`.padStart(26, '0') };
}

/** One simulated machine with the real data plane. It can be killed, restarted, and put back to an earlier ledger. */
export class SimNode {
  readonly name: string;
  skewMs = 0;
  ledger: MemoryLedger;
  readonly #parts: SimParts;
  readonly #ids: Ids;
  #transport: MemoryTransport;
  #plane: DataPlane;
  #beatAtMs = 0;
  #generation = 0;

  constructor(name: string, parts: SimParts) {
    this.name = name;
    this.#parts = parts;
    this.#ids = simIds(name);
    this.ledger = openMemoryLedger(this.#clock, this.#ids);
    [this.#transport, this.#plane] = this.#make();
  }

  get #clock() {
    return this.#parts.time.clock(() => this.skewMs);
  }

  get sender(): Sender {
    return { nodeId: this.name, routingPolicyVersion: 'rpv_1', capabilityPolicyVersion: 'cpv_1' };
  }

  get plane(): DataPlane {
    return this.#plane;
  }

  #make(): [MemoryTransport, DataPlane] {
    const { time, store, names, gapPolicy = 'tombstone' } = this.#parts;
    const keyOf = (node: string) => KEY_POOL[names.indexOf(node) % KEY_POOL.length] ?? null;
    const transport = new MemoryTransport(store, this.name);
    const plane = new DataPlane({
      nodeId: this.name,
      ledger: this.ledger,
      transport,
      seals: new Seals(keyOf(this.name)?.own as KeyObject),
      clock: this.#clock,
      timer: time.timer,
      log: silentLogger,
      gapPolicy,
      sender: () => this.sender,
      residents: () => ({
        nodeId: this.name,
        everybody: () => [],
        isLocal: () => false,
        fenceOf: () => null,
        isLeaseValid: true,
      }),
      inject: injectEvent,
      routeTo: async (agent) => ({ agent, node: agent, fence: null }),
      exchangeKeyOf: (node) => keyOf(node)?.exchange ?? null,
      acceptedKeyOf: (node) => keyOf(node)?.exchange ?? null,
      meet: async () => {},
      joined: async () => {},
      onNews: () => {},
    });
    return [transport, plane];
  }

  async start(): Promise<void> {
    await this.#plane.start();
  }

  /** Ends at once, wherever it is; what was committed stays. */
  async kill(): Promise<Uint8Array> {
    const copy = copyLedger(this.ledger);
    this.#generation++;
    await this.#transport.close();
    this.ledger.db.close();
    return copy;
  }

  async restart(from: Uint8Array): Promise<void> {
    this.ledger = openMemoryLedger(this.#clock, this.#ids, from);
    [this.#transport, this.#plane] = this.#make();
    await this.#plane.start();
  }

  /** A message as `baton message send` records it; resolves when it is in the ledger. */
  async send(to: readonly string[], body: string): Promise<string> {
    const draft = {
      kind: 'message',
      fromAgent: this.name,
      to: to.map((agent) => ({ agent, node: agent, fence: null })),
      payload: { toAgents: to, body },
    } as const;
    const command: Command<object, { eventId: string }> = (tx) => appendEvent(tx, this.sender, draft);
    const sent = await this.ledger.submit(command, {});
    if ('code' in sent) throw new Error(sent.message);
    return sent.eventId;
  }

  async tick(): Promise<void> {
    const generation = this.#generation;
    const { nowMs } = this.#parts.time;
    try {
      await this.#plane.tick();
      if (nowMs - this.#beatAtMs < HEARTBEAT_MS || generation !== this.#generation) return;
      this.#beatAtMs = nowMs;
      await this.#plane.checkStore();
    } catch (error) {
      if ((error as Error).name !== 'TransportFault' && generation === this.#generation) throw error;
    }
  }
}

/** Waits until nobody has anything to do at this virtual instant. */
export async function quiet(store: MemoryStore): Promise<void> {
  const work = () => Object.values(store.calls).reduce((sum, calls) => sum + calls, 0);
  for (let calm = 0, seen = work(); calm < 12; calm++) {
    await new Promise((resolve) => setImmediate(resolve));
    if (work() === seen) continue;
    seen = work();
    calm = 0;
  }
}

const STEP_MS = 1_000;

/** Two nodes, `a` and `b`, in virtual time. */
export function simPair(gapPolicy: NonNullable<SimParts['gapPolicy']> = 'tombstone') {
  const time = new SimTime();
  const store = new MemoryStore(() => time.nowMs);
  const parts = { time, store, names: ['a', 'b'], gapPolicy };
  const [a, b] = [new SimNode('a', parts), new SimNode('b', parts)];
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += STEP_MS) {
      time.pass(STEP_MS);
      for (const node of [a, b]) await node.tick();
      await quiet(store);
    }
  };
  const received = () => Number(b.ledger.db.prepare('SELECT count(*) AS rows FROM inbox').get()?.rows);
  return { a, b, store, pass, received };
}
