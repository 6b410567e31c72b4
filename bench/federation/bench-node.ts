import { fork } from 'node:child_process';
import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { DataPlane } from '../../src/federation/data-plane.ts';
import { natsNames } from '../../src/federation/nats/frame-message.ts';
import { NatsTransport } from '../../src/federation/nats/nats-transport.ts';
import { appendEvent, type Sender } from '../../src/federation/outbox.ts';
import { Seals } from '../../src/federation/seal.ts';
import type { Command } from '../../src/ledger/commit-queue.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { injectEvent } from '../../src/messages/inject.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { Loop } from '../../src/platform/loop.ts';
import { systemTimer } from '../../src/platform/timer.ts';
import { openLedger } from '../life/open-ledger.ts';

const FEDERATION = 'bench';
const TICK_MS = 1_000;

export interface BenchKeys {
  readonly own: KeyObject;
  readonly exchange: string;
}

export function makeKeys(): BenchKeys {
  const { privateKey } = generateKeyPairSync('x25519');
  return { own: privateKey, exchange: String(createPublicKey(privateKey).export({ format: 'jwk' }).x) };
}

export interface BenchFleet {
  readonly url: string;
  readonly folder: string;
  /** By the name of the node, which is the name of its one agent too. */
  readonly keys: ReadonlyMap<string, BenchKeys>;
}

/** A fleet for a node in another process: keys as text. */
export interface OtherNode extends Pick<BenchFleet, 'url' | 'folder'> {
  readonly name: string;
  readonly keys: readonly (readonly [string, { readonly own: string; readonly exchange: string }])[];
}

/** Starts a node in a process of its own; the returned function ends it. */
export async function startElsewhere(name: string, { url, folder, keys }: BenchFleet): Promise<() => Promise<void>> {
  const child = fork(new URL('./other-node.ts', import.meta.url));
  const texts = [...keys].map(([node, { own, exchange }]) => {
    return [node, { own: String(own.export({ type: 'pkcs8', format: 'pem' })), exchange }] as const;
  });
  child.send({ name, url, folder, keys: texts } satisfies OtherNode);
  await once(child, 'message');
  return async () => {
    child.send('stop');
    await once(child, 'exit');
  };
}

/** A node of a federation with a real ledger and a real connection, and nothing beside: no agents, no tree. */
export class BenchNode {
  readonly name: string;
  readonly ledger: Ledger;
  readonly #plane: DataPlane;
  readonly #transport: NatsTransport;
  readonly #loop: Loop;

  constructor(name: string, { url, folder, keys }: BenchFleet) {
    const [clock, timer, log] = [systemClock(), systemTimer(), silentLogger];
    this.name = name;
    this.ledger = openLedger(join(folder, name));
    const nats = { url, creds: null, tls: null, node: name, names: natsNames(FEDERATION), replicas: 1 };
    this.#transport = new NatsTransport({ ...nats, clock, timer, log });
    const keyOf = (node: string) => keys.get(node)?.exchange ?? null;
    this.#plane = new DataPlane({
      ...{ nodeId: name, ledger: this.ledger, transport: this.#transport, clock, timer, log },
      seals: new Seals(keys.get(name)?.own as KeyObject),
      gapPolicy: 'tombstone',
      sender: () => this.#sender,
      residents: () => ({
        ...{ nodeId: name, everybody: () => [], isLocal: () => false },
        ...{ fenceOf: () => null, isLeaseValid: true },
      }),
      inject: injectEvent,
      routeTo: async (agent) => ({ agent, node: agent, fence: null }),
      exchangeKeyOf: keyOf,
      acceptedKeyOf: keyOf,
      meet: async () => {},
      joined: async () => {},
      onNews: () => {},
    });
    const onFault = (error: unknown) => {
      throw error;
    };
    this.#loop = new Loop({ timer, everyMs: TICK_MS, tick: () => this.#plane.tick(), onFault });
  }

  get #sender(): Sender {
    return { nodeId: this.name, routingPolicyVersion: 'rpv_1', capabilityPolicyVersion: 'cpv_1' };
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#transport.onConnected(resolve));
    await this.#plane.start();
    this.#loop.start();
  }

  /** A message as `baton message send` records it; resolves when it is in the ledger. */
  async send(to: string, body: string): Promise<void> {
    const draft = {
      kind: 'message',
      fromAgent: this.name,
      to: [{ agent: to, node: to, fence: null }],
      payload: { toAgents: [to], body },
    } as const;
    const command: Command<object, object> = (tx) => appendEvent(tx, this.#sender, draft);
    const sent = await this.ledger.submit(command, {});
    if ('code' in sent) throw new Error(`a message was refused: ${String(sent.code)}`);
  }

  /** Messages of this node whose acknowledgement is in its ledger. */
  get accepted(): number {
    return Number(this.ledger.read.tuple('SELECT count(*) FROM receipts WHERE accepted_at IS NOT NULL')?.[0]);
  }

  /** Messages in the inbox of this node. */
  get received(): number {
    return Number(this.ledger.read.tuple("SELECT count(*) FROM inbox WHERE kind = 'message'")?.[0]);
  }

  /** Milliseconds from the record of each message after `from` to the record of its acknowledgement. */
  delaysAfter(from: number): readonly number[] {
    const sql =
      'SELECT accepted_at - sent_at FROM receipts WHERE accepted_at IS NOT NULL ORDER BY operation LIMIT -1 OFFSET ?';
    return this.ledger.read.tuples(sql, from).map(([delay]) => Number(delay));
  }

  /** The envelope of the last message, as it travels. */
  get lastEnvelope(): string {
    return String(this.ledger.read.tuple('SELECT envelope FROM outbox ORDER BY seq DESC LIMIT 1')?.[0] ?? '');
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    await this.#plane.stop();
    await this.#transport.close();
    this.ledger.close();
  }
}
