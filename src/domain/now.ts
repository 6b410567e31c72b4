import type { BootTime } from './task/run.ts';

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

/** By the monotonic clock within one boot; after a restart of the machine only the wall clock is left. */
export function hasExpired(expiry: Expiry, now: Now): boolean {
  return expiry.bootId === now.bootId ? now.monotonicMs >= expiry.monotonicMs : now.wallMs >= expiry.wallMs;
}
