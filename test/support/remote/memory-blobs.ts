import { createHash } from 'node:crypto';
import type { Blobs } from '../../../src/remote/parcel/parcel.ts';

/** Blobs in memory. A test may take some away, or put others in their place. */
export class MemoryBlobs implements Blobs {
  readonly stored = new Map<string, Uint8Array>();
  puts = 0;
  gets = 0;
  /** Fails from this put on. */
  failsAfterPuts = Number.POSITIVE_INFINITY;

  async has(sha256: string): Promise<boolean> {
    return this.stored.has(sha256);
  }

  async put(sha256: string, bytes: Uint8Array): Promise<void> {
    if (this.puts >= this.failsAfterPuts) throw new Error('the connection broke');
    if (createHash('sha256').update(bytes).digest('hex') !== sha256) throw new Error('another hash');
    this.puts += 1;
    this.stored.set(sha256, Buffer.from(bytes));
  }

  async get(sha256: string): Promise<Uint8Array | null> {
    this.gets += 1;
    return this.stored.get(sha256) ?? null;
  }
}
