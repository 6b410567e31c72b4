import { TREE_LATER_LOOKS_MAX, TREE_QUIET_MS } from '../domain/limits.ts';

interface Waiting {
  readonly dueMs: number;
  readonly looks: number;
}

/** Paths to look at again, each at its time on the monotonic clock. */
export class LookQueue {
  readonly #waiting = new Map<string, Waiting>();

  get size(): number {
    return this.#waiting.size;
  }

  /** Somebody may still be at one of them; the others only wait for the mirror. */
  get isAnyUnsettled(): boolean {
    return this.#waiting.values().some(({ looks }) => looks === 0);
  }

  /** Null where nothing waits. */
  get nextDueMs(): number | null {
    let next: number | null = null;
    for (const { dueMs } of this.#waiting.values()) next = next === null ? dueMs : Math.min(next, dueMs);
    return next;
  }

  /** An editor may be at them. */
  lookAgain(paths: readonly string[], nowMs: number): void {
    for (const path of paths) this.#waiting.set(path, { dueMs: nowMs + TREE_QUIET_MS, looks: 0 });
  }

  /** The mirror has still to write them: after a while the next look through the folders is early enough. */
  lookLater(paths: readonly string[], nowMs: number): void {
    for (const path of paths) {
      const looks = (this.#waiting.get(path)?.looks ?? 0) + 1;
      if (looks > TREE_LATER_LOOKS_MAX) this.#waiting.delete(path);
      else this.#waiting.set(path, { dueMs: nowMs + TREE_QUIET_MS, looks });
    }
  }

  /** Those whose time has come; they stay until `done`, so that their looks are counted. */
  due(nowMs: number): string[] {
    return [...this.#waiting].filter(([, { dueMs }]) => dueMs <= nowMs).map(([path]) => path);
  }

  done(paths: Iterable<string>): void {
    for (const path of paths) this.#waiting.delete(path);
  }
}
