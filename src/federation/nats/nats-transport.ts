import type { KvEntry } from '@nats-io/kv';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Clock } from '../../platform/clock.ts';
import { faultFacts, type Logger } from '../../platform/logger.ts';
import { type Timer, waitAtMost } from '../../platform/timer.ts';
import { isBlobOf } from '../blob-hash.ts';
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
import { ControlWatch } from './control-watch.ts';
import { headersOf, headOf, messageId } from './frame-message.ts';
import { FramePublisher } from './frame-publisher.ts';
import { linkOf, type NatsLink, type NatsSettings, openNats, outboxConfig, streamInfo } from './nats-link.ts';
import { OutboxReader } from './outbox-reader.ts';
import { trimStream } from './trim-stream.ts';

const CONNECT_RETRY_MS = 1_000;
/** A stream of answers has no end of its own where the connection was cut in the middle. */
const ANSWERS_MS_MAX = 30_000;

export interface NatsParts extends NatsSettings {
  readonly clock: Clock;
  readonly timer: Timer;
  readonly log: Logger;
}

/** A NATS server or cluster with JetStream: a stream for each outbox, a KV bucket, an object store. */
export class NatsTransport implements Transport {
  readonly name = 'nats';
  readonly tried: Promise<void>;
  #endTry: () => void = () => {};
  readonly #parts: NatsParts;
  readonly #listeners = new Set<() => void>();
  readonly #readers = new Set<OutboxReader>();
  readonly #watches = new Set<ControlWatch>();
  #connection: NatsConnection | null = null;
  #publisher: FramePublisher | null = null;
  #link: NatsLink | null = null;
  #isClosed = false;
  #problem: string | null = null;
  /** The time by which the clock of the store is ahead of the monotonic clock here. */
  #storeAheadMs: number | null = null;

  constructor(parts: NatsParts) {
    this.#parts = parts;
    this.tried = new Promise((resolve) => {
      this.#endTry = resolve;
    });
    void this.#connect();
  }

  get isConnected(): boolean {
    return this.#link !== null;
  }

  get problem(): string | null {
    return this.isConnected ? null : this.#problem;
  }

  onConnected(listener: () => void): void {
    this.#listeners.add(listener);
    if (this.isConnected) listener();
  }

  async append(frames: readonly Frame[], { isAgain } = { isAgain: false }): Promise<void> {
    const { names } = this.#parts;
    await this.#reach('append', async () => {
      await this.#publisher?.publish(
        frames.map((frame) => ({
          subject: names.frame(frame.source, frame.dest),
          data: frame.envelope,
          headers: headersOf(frame, isAgain ? null : messageId(frame)),
        })),
      );
    });
  }

  async ownHead(): Promise<Head | null> {
    return await this.#reach('ownHead', async (link) => {
      const { names, node, replicas } = this.#parts;
      const info = await streamInfo(link, names.stream(node));
      if (!info) await link.jsm.streams.add(outboxConfig(names, node, replicas));
      if (!info || info.state.messages === 0) return null;
      const last = await link.jsm.streams.getMessage(info.config.name, { seq: info.state.last_seq });
      return last && headOf({ subject: last.subject, data: last.data, headers: last.header });
    });
  }

  async trim(upTo: Head): Promise<void> {
    await this.#reach('trim', (link) => trimStream(link, this.#parts.names.stream(this.#parts.node), upTo));
  }

  async subscribe(
    source: string,
    after: string | null,
    take: (arrivals: readonly Arrival[]) => Promise<void>,
  ): Promise<Subscription> {
    const { names, node, timer } = this.#parts;
    const place = { source, stream: names.stream(source), subject: names.frame(source, node) };
    const reader = new OutboxReader({ ...place, timer, link: () => this.#link, take }, after);
    this.#readers.add(reader);
    return {
      drained: () => reader.drained(),
      close: async () => {
        this.#readers.delete(reader);
        await reader.close();
      },
    };
  }

  async get(key: string): Promise<Entry | null> {
    return await this.#reach('get', async ({ control }) => {
      const found = await control.get(key);
      return found?.operation === 'PUT' ? this.#entryOf(found) : null;
    });
  }

  async list(prefix: string): Promise<readonly Entry[]> {
    return await this.#inTime('list', async ({ control }) => {
      const entries: Entry[] = [];
      for await (const found of await control.history({ key: `${prefix}>` })) {
        if (found.operation === 'PUT') entries.push(this.#entryOf(found));
      }
      return entries;
    });
  }

  async put(key: string, value: string, revision: number): Promise<number | null> {
    if (!isKey(key)) throw new TransportFault('put', `${key} is no key`, { retryable: false });
    return await this.#reach('put', async ({ control }) => {
      try {
        return revision === 0 ? await control.create(key, value) : await control.update(key, value, revision);
      } catch (error) {
        if (isConflict(error)) return null;
        throw error;
      }
    });
  }

  async remove(key: string, revision: number): Promise<boolean> {
    return await this.#reach('remove', async ({ control }) => {
      try {
        await control.purge(key, { previousSeq: revision });
        return true;
      } catch (error) {
        if (isConflict(error)) return false;
        throw error;
      }
    });
  }

  async watch(prefix: string, changed: (key: string) => void): Promise<End> {
    const watch = new ControlWatch(prefix, changed);
    this.#watches.add(watch);
    if (this.#link) await watch.begin(this.#link).catch(() => null);
    return () => {
      this.#watches.delete(watch);
      watch.end();
    };
  }

  async putBlob(hash: string, bytes: Uint8Array): Promise<void> {
    await this.#reach('putBlob', ({ blobs }) => blobs.putBlob({ name: hash }, bytes));
  }

  async getBlob(hash: string): Promise<Uint8Array | null> {
    const bytes = await this.#inTime('getBlob', ({ blobs }) => blobs.getBlob(hash));
    return bytes && isBlobOf(hash, bytes) ? bytes : null;
  }

  async hasBlob(hash: string): Promise<boolean> {
    const info = await this.#reach('hasBlob', ({ blobs }) => blobs.info(hash));
    return info !== null && !info.deleted;
  }

  async removeBlob(hash: string): Promise<void> {
    if (await this.hasBlob(hash)) await this.#reach('removeBlob', ({ blobs }) => blobs.delete(hash));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const watch of this.#watches) watch.end();
    await Promise.all([...this.#readers].map((reader) => reader.close()));
    this.#link = null;
    await this.#connection?.close();
  }

  async #reach<Result>(operation: string, call: (link: NatsLink) => Promise<Result>): Promise<Result> {
    const link = this.#link;
    if (!link) throw new TransportFault(operation, 'there is no connection to the broker');
    try {
      return await call(link);
    } catch (error) {
      if (error instanceof TransportFault) throw error;
      throw new TransportFault(operation, `the broker: ${(error as Error).message}`, { cause: error });
    }
  }

  async #inTime<Result>(operation: string, call: (link: NatsLink) => Promise<Result>): Promise<Result> {
    const answered = this.#reach(operation, call);
    if (await waitAtMost(answered, ANSWERS_MS_MAX)) return await answered;
    throw new TransportFault(operation, 'the broker: its answer did not come to an end');
  }

  #entryOf(found: KvEntry): Entry {
    const { key, revision, created } = found;
    const { wallMs, monotonicMs } = this.#parts.clock.now();
    const storeMs = this.#storeAheadMs === null ? wallMs : monotonicMs + this.#storeAheadMs;
    return { key, value: found.string(), revision, ageMs: Math.max(0, storeMs - created.getTime()) };
  }

  async #connect(): Promise<void> {
    const { timer } = this.#parts;
    while (!this.#isClosed) {
      try {
        this.#connection = await openNats(this.#parts);
        break;
      } catch (error) {
        this.#failed(error);
        await timer.pause(CONNECT_RETRY_MS);
      }
    }
    const connection = this.#connection;
    if (!connection || this.#isClosed) return void (await connection?.close());
    this.#publisher = new FramePublisher(connection, timer, this.#parts.node);
    void this.#follow(connection);
    await this.#open(connection);
  }

  async #follow(connection: NatsConnection): Promise<void> {
    for await (const { type } of connection.status()) {
      if (type === 'disconnect') this.#link = null;
      if (type === 'reconnect') void this.#open(connection);
    }
  }

  /** Opens the stores after each connection: the broker may have lost them meanwhile. */
  async #open(connection: NatsConnection): Promise<void> {
    const { timer } = this.#parts;
    while (!this.#isClosed && !connection.isClosed() && !this.#link) {
      try {
        const link = await linkOf(connection, this.#parts);
        await this.#readClock(link);
        this.#link = link;
      } catch (error) {
        this.#failed(error);
        await timer.pause(CONNECT_RETRY_MS);
      }
    }
    if (!this.#link) return;
    this.#endTry();
    for (const reader of this.#readers) reader.restart();
    for (const watch of this.#watches) void watch.begin(this.#link).catch(() => null);
    for (const listener of this.#listeners) listener();
  }

  #failed(error: unknown): void {
    this.#problem = (error as Error).message;
    this.#parts.log.log('federation.unreachable', faultFacts(error));
    this.#endTry();
  }

  /** Servers before 2.10 do not tell their time: then the clock of this machine counts. */
  async #readClock(link: NatsLink): Promise<void> {
    const info = await link.jsm.streams.info(`KV_${this.#parts.names.control}`);
    const { ts } = info as { readonly ts?: string };
    this.#storeAheadMs = ts === undefined ? null : Date.parse(ts) - this.#parts.clock.now().monotonicMs;
  }
}

const WRONG_LAST_SEQUENCE = 10_071;

function isConflict(error: unknown): boolean {
  const { code, message } = error as { readonly code?: unknown; readonly message?: string };
  return code === WRONG_LAST_SEQUENCE || /wrong last sequence/i.test(message ?? '');
}
