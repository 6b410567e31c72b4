import { TREE_SEEN_FILES_MAX } from '../domain/limits.ts';
import type { Clock } from '../platform/clock.ts';
import type { Mirror } from '../tree/mirror.ts';
import type { FileStamp } from './read-tree-file.ts';

/** A file changed more recently than this could change again without a new stamp. */
const FRESH_MS = 2_000;

/** Files with Baton's own content. They are not read again while their stamp is the same. */
export class SeenFiles {
  readonly #clock: Clock;
  readonly #mirror: Pick<Mirror, 'writtenAt'>;
  readonly #stamps = new Map<string, FileStamp>();
  #trustedBeforeMs = 0;
  #reads = 0;

  constructor(clock: Clock, mirror: Pick<Mirror, 'writtenAt'>) {
    this.#clock = clock;
    this.#mirror = mirror;
  }

  /** The number of files read so far. */
  get reads(): number {
    return this.#reads;
  }

  /** Files last changed before this wall time, in milliseconds since 1970, were checked by an earlier process. */
  trustBefore(wallMs: number): void {
    // A time in the future means that the clock was set back.
    this.#trustedBeforeMs = wallMs > this.#clock.now().wallMs ? 0 : wallMs - FRESH_MS;
  }

  /** Remembers a file as it was read. */
  remember(path: string, stamp: FileStamp): void {
    this.#reads++;
    if (this.#clock.now().wallMs - stamp.ctimeMs > FRESH_MS) this.#keep(path, stamp);
    else this.#stamps.delete(path);
  }

  has(path: string, stamp: FileStamp): boolean {
    const seen = this.#stamps.get(path) ?? this.#mirror.writtenAt(path);
    if (!seen && Math.max(stamp.ctimeMs, stamp.mtimeMs) < this.#trustedBeforeMs) return true;
    if (!seen || seen.ino !== stamp.ino || seen.size !== stamp.size || seen.mtimeMs !== stamp.mtimeMs) return false;
    return !('ctimeMs' in seen) || seen.ctimeMs === stamp.ctimeMs;
  }

  #keep(path: string, stamp: FileStamp): void {
    this.#stamps.delete(path);
    this.#stamps.set(path, stamp);
    const [oldest] = this.#stamps.keys();
    if (this.#stamps.size > TREE_SEEN_FILES_MAX && oldest !== undefined) this.#stamps.delete(oldest);
  }
}

interface SeenContent {
  readonly sha256: string;
  readonly sinceMs: number;
  isAwaited: boolean;
}

/** A file that is not Baton's, as found. */
export interface UnknownFile {
  readonly path: string;
  readonly sha256: string;
  /** Null if there is no file. */
  readonly stamp: FileStamp | null;
  /** How long it must have been unchanged. */
  readonly quietMs: number;
}

/** Files that an editor may still be writing: one has settled when it has not changed for a while. */
export class UnsettledFiles {
  readonly #clock: Clock;
  readonly #seen = new Map<string, SeenContent>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  hasSettled({ path, sha256, stamp, quietMs }: UnknownFile): boolean {
    const now = this.#clock.now();
    const seen = this.#seen.get(path);
    const lay = stamp === null ? 0 : now.wallMs - Math.max(stamp.mtimeMs, stamp.ctimeMs);
    const isSame = seen?.sha256 === sha256;
    if (lay >= quietMs || (isSame && (seen.isAwaited || now.monotonicMs - seen.sinceMs >= quietMs))) {
      this.#seen.delete(path);
      return true;
    }
    if (!isSame) this.#seen.set(path, { sha256, sinceMs: now.monotonicMs, isAwaited: false });
    return false;
  }

  /** The caller has waited long enough for all files seen so far. */
  markWaited(): void {
    for (const seen of this.#seen.values()) seen.isAwaited = true;
  }
}
