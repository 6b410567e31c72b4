import { COUNTED_CALLERS_MAX } from '../domain/external/external-limits.ts';
import { type Refusal, refuse } from '../domain/refusal.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Clock } from '../platform/clock.ts';
import type { Timer } from '../platform/timer.ts';
import { type AuditedCall, refuseCall } from './admit-call.ts';
import type { CallRates } from './call-rates.ts';

export interface RefusedCallsParts {
  readonly ledger: Pick<Ledger, 'submit'>;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly rates: CallRates;
  onFault(error: unknown): void;
}

interface CountedCalls {
  readonly call: AuditedCall;
  times: number;
}

const COUNTED_TOGETHER_MS = 1_000;

/** Records every refused call: each in a row of its own, or, where there are too many, those of a second together. */
export class RefusedCalls {
  readonly #parts: RefusedCallsParts;
  readonly #counted = new Map<string, CountedCalls>();
  #isWaiting = false;

  constructor(parts: RefusedCallsParts) {
    this.#parts = parts;
  }

  /** Returns the refusal that the caller gets. */
  async record(call: AuditedCall, refusal: Refusal): Promise<Refusal> {
    if (refusal.code === 'rate_limited' || !this.#isTaken(call)) return this.#together(call, refusal);
    await this.#parts.ledger.submit(refuseCall, { call, refusal });
    return refusal;
  }

  /** For a refusal that was recorded already: it counts for its address like any other. */
  count(call: AuditedCall, refusal: Refusal): Refusal {
    this.#isTaken(call);
    return refusal;
  }

  #isTaken({ address }: AuditedCall): boolean {
    return this.#parts.rates.takeRefusal(address, this.#parts.clock.now().monotonicMs);
  }

  #together({ address, actor, sessionId, thumbprint }: AuditedCall, refusal: Refusal): Refusal {
    const key = JSON.stringify([address, sessionId ?? null]);
    const counted = this.#counted.get(key) ?? this.#others();
    if (counted) counted.times++;
    else {
      const who = { ...(actor && { actor }), ...(sessionId && { sessionId }), ...(thumbprint && { thumbprint }) };
      this.#counted.set(key, { call: { operation: 'several', address, ...who }, times: 1 });
    }
    this.#writeLater();
    return refusal.code === 'rate_limited'
      ? refusal
      : refuse('rate_limited', 'too many calls of this address were refused');
  }

  /** With very many addresses the last one stands for the rest. */
  #others(): CountedCalls | undefined {
    return this.#counted.size < COUNTED_CALLERS_MAX ? undefined : [...this.#counted.values()].at(-1);
  }

  #writeLater(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.#parts.timer.after(COUNTED_TOGETHER_MS, () => {
      this.#isWaiting = false;
      this.write().catch((error: unknown) => this.#parts.onFault(error));
    });
  }

  /** Writes what was counted so far. */
  async write(): Promise<void> {
    const all = [...this.#counted.values()];
    this.#counted.clear();
    const refusal = refuse('rate_limited', 'counted together');
    await Promise.all(
      all.map(({ call, times }) => this.#parts.ledger.submit(refuseCall, { call: { ...call, times }, refusal })),
    );
  }
}
