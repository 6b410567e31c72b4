import { selectMeta } from '../ledger/statements/meta.ts';
import type { Clock } from '../platform/clock.ts';
import type { ReconcileParts } from './reconcile-parts.ts';

const LOOKED_AT = 'tree_looked_at';
/** Fewer files are read again sooner than a commit is done. */
const READS_WORTH_A_COMMIT = 50;

/** When the open tasks were last found to be as they should, kept for the next process. */
export class LookMark {
  readonly #parts: ReconcileParts;
  readonly #clock: Clock;
  #beganAtMs = 0;
  #readsBefore = 0;

  constructor(parts: ReconcileParts, clock: Clock) {
    this.#parts = parts;
    this.#clock = clock;
  }

  /** A look begins that may believe the last one. */
  trust(): void {
    const { seen, read } = this.#parts;
    this.#beganAtMs = this.#clock.now().wallMs;
    this.#readsBefore = seen.reads;
    seen.trustBefore(Number(selectMeta(read, LOOKED_AT) ?? 0));
  }

  /** `isClean`: nothing is left to judge. */
  async end(isClean: boolean): Promise<void> {
    const { ledger, commands, seen } = this.#parts;
    seen.trustBefore(0);
    if (!isClean || seen.reads - this.#readsBefore < READS_WORTH_A_COMMIT) return;
    await ledger.submit(commands.rememberMeta, { key: LOOKED_AT, value: String(this.#beganAtMs) });
  }
}
