import { Pump } from '../pump.ts';
import {
  type Arrival,
  type End,
  type Entry,
  type Frame,
  type Head,
  isKey,
  type Subscription,
  type Transport,
  TransportFault,
} from '../transport.ts';
import type { MemoryStore } from './memory-store.ts';

const ARRIVALS_PER_CALL_MAX = 256;

/** One node's way to a MemoryStore. */
export class MemoryTransport implements Transport {
  readonly name = 'memory';
  readonly tried = Promise.resolve();
  readonly #store: MemoryStore;
  readonly #node: string;
  readonly #ends: (() => void)[] = [];
  readonly #pumps = new Set<Pump>();

  constructor(store: MemoryStore, node: string) {
    this.#store = store;
    this.#node = node;
    this.#ends.push(
      store.onFrames(node, (source) => {
        for (const pump of this.#pumps) if (pump.source === source) pump.run();
      }),
      store.onReturn(node, () => {
        for (const pump of this.#pumps) pump.run();
      }),
    );
  }

  get isConnected(): boolean {
    return !this.#store.isCut(this.#node);
  }

  onConnected(listener: () => void): void {
    this.#ends.push(this.#store.onReturn(this.#node, listener));
    if (this.isConnected) listener();
  }

  async append(frames: readonly Frame[], { isAgain } = { isAgain: false }): Promise<void> {
    this.#reach('append').append(frames, isAgain);
  }

  async ownHead(): Promise<Head | null> {
    return this.#reach('ownHead').head(this.#node);
  }

  async trim(upTo: Head): Promise<void> {
    this.#reach('trim').trim(this.#node, upTo);
  }

  async subscribe(
    source: string,
    after: string | null,
    take: (arrivals: readonly Arrival[]) => Promise<void>,
  ): Promise<Subscription> {
    this.#reach('subscribe');
    const pump = new Pump(source, async () => {
      if (!this.isConnected) return false;
      const found = this.#store.framesFor(source, this.#node, pump.position).slice(0, ARRIVALS_PER_CALL_MAX);
      const last = found.at(-1);
      if (!last) return false;
      this.#store.calls.take++;
      await take(found);
      pump.position = last.position;
      return true;
    });
    pump.position = after;
    this.#pumps.add(pump);
    pump.run();
    return {
      drained: async () => {
        this.#reach('drained');
        await pump.idle();
      },
      close: async () => {
        this.#pumps.delete(pump);
        await pump.close();
      },
    };
  }

  async get(key: string): Promise<Entry | null> {
    return this.#reach('get').get(key);
  }

  async list(prefix: string): Promise<readonly Entry[]> {
    return this.#reach('list').list(prefix);
  }

  async put(key: string, value: string, revision: number): Promise<number | null> {
    if (!isKey(key)) throw new TransportFault('put', `${key} is no key`, { retryable: false });
    return this.#reach('put').put(key, value, revision);
  }

  async remove(key: string, revision: number): Promise<boolean> {
    return this.#reach('remove').remove(key, revision);
  }

  async watch(prefix: string, changed: (key: string) => void): Promise<End> {
    const end = this.#reach('watch').watch(this.#node, prefix, changed);
    this.#ends.push(end);
    return end;
  }

  async putBlob(hash: string, bytes: Uint8Array): Promise<void> {
    this.#reach('putBlob').blobs.set(hash, bytes);
  }

  async getBlob(hash: string): Promise<Uint8Array | null> {
    return this.#reach('getBlob').blobs.get(hash) ?? null;
  }

  async hasBlob(hash: string): Promise<boolean> {
    return this.#reach('hasBlob').blobs.has(hash);
  }

  async removeBlob(hash: string): Promise<void> {
    this.#reach('removeBlob').blobs.delete(hash);
  }

  async close(): Promise<void> {
    for (const end of this.#ends) end();
    await Promise.all([...this.#pumps].map((pump) => pump.close()));
    this.#pumps.clear();
  }

  #reach(operation: string): MemoryStore {
    if (this.isConnected) return this.#store;
    throw new TransportFault(operation, `${this.#node} is cut off from the store`);
  }
}
