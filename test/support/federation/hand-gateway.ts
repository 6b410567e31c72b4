import type { MemoryStore } from '../../../src/federation/memory/memory-store.ts';
import { nodeKeysOf } from '../../../src/federation/nodes/node-record.ts';
import { Seals } from '../../../src/federation/seal.ts';
import type { Frame } from '../../../src/federation/transport.ts';
import { memoryKey } from './memory-key.ts';

const EPOCH = 'route-epoch-2026-02-25T16:00:00.000Z';

/** An event as a gateway reads it. */
export interface ReadEvent {
  readonly eventId: string;
  readonly kind: string;
  readonly corrId: string;
  readonly sourceAgentId: string;
  readonly toAgentId?: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly trace: { readonly attempt: number };
}

interface Draft {
  readonly kind: string;
  readonly fromAgent: string;
  readonly corrId?: string;
  readonly payload: object;
  /** Fields of the envelope that differ from those of an honest gateway. */
  readonly envelope?: object;
}

/** A gateway that is no Baton: it knows the store, the seal and the document, and does what the test says by hand. */
export class HandGateway {
  readonly name: string;
  readonly #store: MemoryStore;
  readonly #nowMs: () => number;
  readonly #key = memoryKey();
  readonly #seals: Seals;
  readonly #prev = new Map<string, number>();
  #seq = 0;

  constructor(
    name: string,
    { store, time }: { readonly store: MemoryStore; readonly time: { readonly nowMs: number } },
  ) {
    this.name = name;
    this.#store = store;
    this.#nowMs = () => time.nowMs;
    this.#seals = new Seals(this.#key.exchangeKey());
  }

  /** Shows itself and its agents, and stays alive for 90 s from now. */
  beat(agents: readonly string[]): void {
    const at = '2026-02-25T16:00:00.000Z';
    const record = {
      nodeId: this.name,
      status: 'active',
      instance: 'one',
      keys: nodeKeysOf(this.name, this.#key),
      epoch: EPOCH,
      seq: this.#seq,
      ...{ heartbeatAt: at, startedAt: at, version: 'by hand', room: 8, skills: [] },
      agents: agents.map((name) => ({ name, role: '', provider: '', model: '', load: 0, slots: 1 })),
    };
    this.#write(`nodes.${this.name}`, record);
  }

  #write(key: string, record: object): void {
    this.#store.put(key, JSON.stringify(record), this.#store.get(key)?.revision ?? 0);
  }

  /** The events of a node that are for this one, in order. */
  eventsOf(source: string, kind?: string): ReadEvent[] {
    const events = this.#store
      .framesFor(source, this.name, null)
      .map(({ frame }) => JSON.parse(frame.envelope) as ReadEvent);
    return kind === undefined ? events : events.filter((event) => event.kind === kind);
  }

  /** Sends an event, sealed for its reader. */
  send(dest: string, { kind, fromAgent, corrId, payload, envelope = {} }: Draft): string {
    const seq = ++this.#seq;
    const eventId = `evt_${this.name}_${seq}`;
    const createdAt = new Date(this.#nowMs()).toISOString();
    const text = JSON.stringify({
      ...{ eventId, seq, kind, sourceNodeId: this.name, sourceAgentId: fromAgent },
      ...(corrId !== undefined && { corrId }),
      ...{ createdAt, payload, trace: { attempt: 1 } },
      ...envelope,
    });
    const prev = this.#prev.get(dest) ?? 0;
    const place = { source: this.name, dest, epoch: EPOCH, seq, prev, fences: '' };
    this.#prev.set(dest, seq);
    const plain = { ...place, recordedAt: this.#nowMs(), envelope: text };
    const keys = JSON.parse(this.#store.get(`nodes.${dest}`)?.value ?? '{}') as { keys: { exchangeKey: string } };
    const frame: Frame = { ...plain, seal: this.#seals.seal(plain, keys.keys.exchangeKey) };
    this.#store.append([frame], false);
    this.#write(`delivery.routes.${dest}.${this.name}`, { source: this.name, epoch: EPOCH, seq, frame: seq });
    return eventId;
  }
}
