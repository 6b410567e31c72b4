import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../platform/clock.ts';
import { writeDurably } from '../../platform/files/durable-files.ts';
import type { FolderWatch } from '../../platform/files/folder-watch.ts';
import { makeFolders } from '../../platform/files/make-folders.ts';
import type { Ids } from '../../platform/ids.ts';
import type { Timer } from '../../platform/timer.ts';
import { isBlobOf } from '../blob-hash.ts';
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
import { LocalStore } from './local-store.ts';

const ARRIVALS_PER_CALL_MAX = 256;
/** Changes of other processes are also told by the system; a hint that was lost costs this much. */
const LOOK_MS = 50;

export interface LocalParts {
  readonly folder: string;
  readonly node: string;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly ids: Ids;
  readonly watch: FolderWatch;
}

/** Nodes of one machine, without a server: they share a folder. */
export class LocalTransport implements Transport {
  readonly name = 'local';
  readonly tried = Promise.resolve();
  readonly #parts: LocalParts;
  readonly #pumps = new Set<Pump>();
  readonly #watchers = new Set<{ readonly prefix: string; changed(key: string): void }>();
  readonly #connected = new Set<() => void>();
  readonly #endWatch: () => void;
  #store: LocalStore;
  #version = 0;
  #lastChange: number;
  #isClosed = false;
  #endLook: () => void = () => {};

  constructor(parts: LocalParts) {
    this.#parts = parts;
    this.#store = this.#open();
    this.#lastChange = this.#store.lastChange();
    this.#endWatch = parts.watch(parts.folder, () => this.#look());
    this.#lookLater();
  }

  get isConnected(): boolean {
    return !this.#isClosed;
  }

  onConnected(listener: () => void): void {
    this.#connected.add(listener);
    listener();
  }

  async append(frames: readonly Frame[], { isAgain } = { isAgain: false }): Promise<void> {
    this.#reach('append', (store) => store.append(frames, isAgain));
    this.#runPumps();
  }

  async ownHead(): Promise<Head | null> {
    return this.#reach('ownHead', (store) => store.head(this.#parts.node));
  }

  async trim(upTo: Head): Promise<void> {
    this.#reach('trim', (store) => store.trim(this.#parts.node, upTo));
  }

  async subscribe(
    source: string,
    after: string | null,
    take: (arrivals: readonly Arrival[]) => Promise<void>,
  ): Promise<Subscription> {
    const pair = { source, dest: this.#parts.node };
    const turn = async () => {
      const found = this.#reach('take', (store) => store.framesFor(pair, pump.position, ARRIVALS_PER_CALL_MAX));
      const last = found.at(-1);
      if (!last) return false;
      await take(found);
      pump.position = last.position;
      return true;
    };
    const onFailed = () => this.#parts.timer.after(LOOK_MS, () => pump.run());
    const pump = new Pump(source, turn, { onFailed });
    pump.position = after;
    this.#pumps.add(pump);
    pump.run();
    return {
      drained: () => pump.idle(),
      close: async () => {
        this.#pumps.delete(pump);
        await pump.close();
      },
    };
  }

  async get(key: string): Promise<Entry | null> {
    return this.#reach('get', (store) => store.get(key, this.#parts.clock.now()));
  }

  async list(prefix: string): Promise<readonly Entry[]> {
    return this.#reach('list', (store) => store.list(prefix, this.#parts.clock.now()));
  }

  async put(key: string, value: string, revision: number): Promise<number | null> {
    if (!isKey(key)) throw new TransportFault('put', `${key} is no key`, { retryable: false });
    const written = this.#reach('put', (store) => store.put({ key, value, revision }, this.#parts.clock.now()));
    this.#tellChanges();
    return written;
  }

  async remove(key: string, revision: number): Promise<boolean> {
    const isRemoved = this.#reach('remove', (store) => store.remove(key, revision));
    this.#tellChanges();
    return isRemoved;
  }

  async watch(prefix: string, changed: (key: string) => void): Promise<End> {
    const watcher = { prefix, changed };
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  async putBlob(hash: string, bytes: Uint8Array): Promise<void> {
    const file = this.#blob(hash);
    makeFolders(join(file, '..'));
    await writeDurably(file, bytes);
  }

  async getBlob(hash: string): Promise<Uint8Array | null> {
    try {
      const bytes = readFileSync(this.#blob(hash));
      return isBlobOf(hash, bytes) ? bytes : null;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw new TransportFault('getBlob', `cannot read the blob ${hash}`, { cause: error });
    }
  }

  async hasBlob(hash: string): Promise<boolean> {
    return statSync(this.#blob(hash), { throwIfNoEntry: false })?.isFile() ?? false;
  }

  async removeBlob(hash: string): Promise<void> {
    rmSync(this.#blob(hash), { force: true });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#endLook();
    this.#endWatch();
    await Promise.all([...this.#pumps].map((pump) => pump.close()));
    this.#store.close();
  }

  #blob(hash: string): string {
    if (!/^[0-9a-f]{64}$/.test(hash)) throw new TransportFault('blob', `${hash} is no hash`, { retryable: false });
    return join(this.#parts.folder, 'blobs', hash.slice(0, 2), hash);
  }

  #open(): LocalStore {
    return new LocalStore(this.#parts.folder, () => this.#parts.ids.ulid());
  }

  #reach<Result>(operation: string, call: (store: LocalStore) => Result): Result {
    if (this.#isClosed) throw new TransportFault(operation, 'the transport is closed');
    try {
      return call(this.#store);
    } catch (error) {
      throw new TransportFault(operation, `${this.#parts.folder}: ${(error as Error).message}`, { cause: error });
    }
  }

  #lookLater(): void {
    this.#endLook = this.#parts.timer.after(LOOK_MS, () => {
      this.#look();
      if (!this.#isClosed) this.#lookLater();
    });
  }

  #look(): void {
    if (this.#isClosed) return;
    try {
      if (this.#store.isReplaced()) this.#reopen();
      const version = this.#store.version();
      if (version === this.#version) return;
      this.#version = version;
    } catch {
      // The folder is gone or locked: the next look tries again, and every call reports its own fault.
      return;
    }
    this.#runPumps();
    this.#tellChanges();
  }

  /** Somebody removed the file or put another one in its place. */
  #reopen(): void {
    this.#store.close();
    this.#store = this.#open();
    this.#lastChange = this.#store.lastChange();
    for (const listener of this.#connected) listener();
    this.#runPumps();
  }

  #runPumps(): void {
    for (const pump of this.#pumps) pump.run();
  }

  #tellChanges(): void {
    if (this.#watchers.size === 0) return;
    const { keys, last } = this.#store.changesAfter(this.#lastChange);
    this.#lastChange = last;
    for (const key of new Set(keys)) {
      for (const { prefix, changed } of this.#watchers) if (key.startsWith(prefix)) changed(key);
    }
  }
}
