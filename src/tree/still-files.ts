import type { Clock } from '../platform/clock.ts';
import type { FileStamp } from './read-tree-file.ts';

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
export class StillFiles {
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
