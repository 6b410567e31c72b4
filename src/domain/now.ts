import type { BootTime } from './run.ts';

/** One instant on both clocks: the monotonic one for waits and leases, the wall clock for display. */
export interface Now extends BootTime {
  readonly wallMs: number;
}

export interface Expiry extends BootTime {
  readonly wallMs: number;
}

export function expiryAfter(now: Now, milliseconds: number): Expiry {
  return { bootId: now.bootId, monotonicMs: now.monotonicMs + milliseconds, wallMs: now.wallMs + milliseconds };
}
