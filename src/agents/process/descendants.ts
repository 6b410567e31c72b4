import { PROCESS_DESCENDANTS_MAX } from '../../domain/limits.ts';
import type { ProcessIdentity } from '../sandbox/sandbox.ts';
import { childrenOf, identify, isRunning, type ProcessRow, readProcesses, startedWith } from './process-table.ts';

/**
 * All that a process started, also what left its group, its session and its parent. Linux forgets whose child an orphan
 * was: what was seen in time is remembered, and the rest is known by the run in its environment.
 */
export class Descendants {
  readonly #root: ProcessIdentity;
  readonly #mark: () => string | null;
  readonly #seen = new Map<number, ProcessIdentity>();

  /** mark: the `NAME=value` that they were started with, unless they hide it; null while it tells nothing. */
  constructor(root: ProcessIdentity, mark: () => string | null) {
    this.#root = root;
    this.#mark = mark;
  }

  /** Writes down who is there now; cheap enough to be done often. */
  look(): void {
    this.#forgetTheDead();
    const known = [this.#root.pid, ...this.#seen.keys()];
    for (let pid = known.pop(); pid !== undefined; pid = known.pop()) {
      for (const child of childrenOf(pid)) if (this.#remember(child)) known.push(child);
    }
  }

  /** Everybody who is left, without the process itself. */
  find(): ProcessIdentity[] {
    this.look();
    const mark = this.#mark();
    const rows = readProcesses();
    // While its group or session lives, the system gives its number to nobody else; after that it may.
    const isTaken = rows.some(({ pid, startTicks }) => pid === this.#root.pid && startTicks !== this.#root.startTicks);
    for (const row of rows) if ((!isTaken && this.#isBeside(row)) || this.#isOurs(row, mark)) this.#remember(row.pid);
    // Their children too, whatever they call themselves.
    this.look();
    return [...this.#seen.values()].filter(isRunning);
  }

  #isBeside({ pid, group, session }: ProcessRow): boolean {
    return pid !== this.#root.pid && (group === this.#root.pid || session === this.#root.pid);
  }

  #isOurs(row: ProcessRow, mark: string | null): boolean {
    const { pid, startTicks } = this.#root;
    if (row.pid === pid || row.pid === process.pid || row.startTicks < startTicks) return false;
    return this.#seen.has(row.parent) || (mark !== null && startedWith(row.pid, mark));
  }

  #remember(pid: number): boolean {
    if (this.#seen.has(pid) || this.#seen.size >= PROCESS_DESCENDANTS_MAX) return false;
    const identity = pid === process.pid ? null : identify(pid);
    if (identity) this.#seen.set(pid, identity);
    return identity !== null;
  }

  #forgetTheDead(): void {
    for (const [pid, identity] of this.#seen) if (!isRunning(identity)) this.#seen.delete(pid);
  }
}
