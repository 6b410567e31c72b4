import type { BootTime } from './run.ts';

/** One instant, on both clocks. Waits and leases are judged on the monotonic one, people read the other. */
export interface Now extends BootTime {
  readonly wallMs: number;
}

export interface Expiry extends BootTime {
  readonly wallMs: number;
}

export function expiryAfter(now: Now, milliseconds: number): Expiry {
  return { bootId: now.bootId, monotonicMs: now.monotonicMs + milliseconds, wallMs: now.wallMs + milliseconds };
}
