import { PROCESS_DESCENDANTS_MAX } from '../../domain/process-limits.ts';
import type { ProcessIdentity } from '../sandbox/sandbox.ts';
import { childrenOf, identify, isRunning, type ProcessRow, readProcesses, startedWith } from './process-table.ts';

/**
 * All descendants of a process, including those that left its group, session and parent. Linux forgets the parent of an
 * orphan: descendants seen earlier are remembered, the rest are found by the run in their environment.
 */
export class Descendants {
  readonly #root: ProcessIdentity;
  readonly #mark: () => string | null;
  readonly #seen = new Map<number, ProcessIdentity>();

  /** mark: the `NAME=value` in the environment of descendants; null while it does not identify them. */
  constructor(root: ProcessIdentity, mark: () => string | null) {
    this.#root = root;
    this.#mark = mark;
  }

  /** Remembers the descendants alive now; cheap enough to run often. */
  scan(): void {
    this.#forgetTheDead();
    const known = [this.#root.pid, ...this.#seen.keys()];
    for (let pid = known.pop(); pid !== undefined; pid = known.pop()) {
      for (const child of childrenOf(pid)) if (this.#remember(child)) known.push(child);
    }
  }

  /** Every descendant still alive. */
  find(): ProcessIdentity[] {
    this.scan();
    const mark = this.#mark();
    const rows = readProcesses();
    // While its group or session lives the system does not reuse the pid of the root; after that it may.
    const isReused = rows.some(({ pid, startTicks }) => pid === this.#root.pid && startTicks !== this.#root.startTicks);
    for (const row of rows) if ((!isReused && this.#isBeside(row)) || this.#isOurs(row, mark)) this.#remember(row.pid);
    // And their children, whatever their environment.
    this.scan();
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
