import { TREE_SEEN_FILES_MAX } from '../domain/limits.ts';
import type { Clock } from '../platform/clock.ts';
import type { FileStamp } from './read-tree-file.ts';

/** A file that was changed so lately could be changed again without its stamp telling. */
const FRESH_MS = 2_000;

type Remembered = Omit<FileStamp, 'ctimeMs'> & { readonly ctimeMs: number | null };

/** Files that were found to be Baton's own: while their stamp stays, they need not be read again. */
export class SeenFiles {
  readonly #clock: Clock;
  readonly #stamps = new Map<string, Remembered>();
  #trustedBeforeMs = 0;
  #reads = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many files had to be read. */
  get reads(): number {
    return this.#reads;
  }

  /** All was as it should be at this time of the wall clock, in milliseconds since 1970: what was last changed before is unchanged. */
  trustBefore(wallMs: number): void {
    // A time that has not come yet is that of a clock that was set back.
    this.#trustedBeforeMs = wallMs > this.#clock.now().wallMs ? 0 : wallMs - FRESH_MS;
  }

  /** As it was read. */
  remember(path: string, stamp: FileStamp): void {
    this.#reads++;
    if (this.#clock.now().wallMs - stamp.ctimeMs > FRESH_MS) this.#keep(path, stamp);
    else this.#stamps.delete(path);
  }

  /** As the mirror wrote it: a rename to its place still changes when it was last changed. */
  rememberWritten(path: string, { ino, size, mtimeMs }: Omit<FileStamp, 'ctimeMs'>): void {
    this.#keep(path, { ino, size, mtimeMs, ctimeMs: null });
  }

  has(path: string, stamp: FileStamp): boolean {
    const seen = this.#stamps.get(path);
    if (!seen && Math.max(stamp.ctimeMs, stamp.mtimeMs) < this.#trustedBeforeMs) return true;
    if (!seen || seen.ino !== stamp.ino || seen.size !== stamp.size || seen.mtimeMs !== stamp.mtimeMs) return false;
    return seen.ctimeMs === null || seen.ctimeMs === stamp.ctimeMs;
  }

  #keep(path: string, stamp: Remembered): void {
    this.#stamps.delete(path);
    this.#stamps.set(path, stamp);
    const [oldest] = this.#stamps.keys();
    if (this.#stamps.size > TREE_SEEN_FILES_MAX && oldest !== undefined) this.#stamps.delete(oldest);
  }
}

interface Seen {
  readonly sha256: string;
  readonly sinceMs: number;
  isAwaited: boolean;
}

/** How a file was found that is not Baton's. */
export interface Foreign {
  readonly path: string;
  readonly sha256: string;
  /** Null where nothing lies there. */
  readonly stamp: FileStamp | null;
  /** How long it must have lain still. */
  readonly stillMs: number;
}

/** Tells a file that was saved from one that an editor is in the middle of: it must lie still for a while. */
export class UnsettledFiles {
  readonly #clock: Clock;
  readonly #seen = new Map<string, Seen>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  isStill({ path, sha256, stamp, stillMs }: Foreign): boolean {
    const now = this.#clock.now();
    const seen = this.#seen.get(path);
    const lay = stamp === null ? 0 : now.wallMs - Math.max(stamp.mtimeMs, stamp.ctimeMs);
    const isSame = seen?.sha256 === sha256;
    if (lay >= stillMs || (isSame && (seen.isAwaited || now.monotonicMs - seen.sinceMs >= stillMs))) {
      this.#seen.delete(path);
      return true;
    }
    if (!isSame) this.#seen.set(path, { sha256, sinceMs: now.monotonicMs, isAwaited: false });
    return false;
  }

  /** Whoever asks has waited long enough for all that was seen so far. */
  haveWaited(): void {
    for (const seen of this.#seen.values()) seen.isAwaited = true;
  }
}
