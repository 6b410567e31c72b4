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

/** False for a time of another boot: what that means, the caller decides. */
export function hasExpired(time: BootTime, now: Now): boolean {
  return time.bootId === now.bootId && time.monotonicMs <= now.monotonicMs;
}
