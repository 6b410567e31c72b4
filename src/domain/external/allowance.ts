/** Calls that a caller may still make: it starts full, and fills up again with time. */
export interface Allowance {
  readonly left: number;
  /** On a monotonic clock. */
  readonly atMs: number;
}

export interface AllowanceRate {
  readonly max: number;
  readonly perSecond: number;
}

export interface TakenCall {
  readonly isTaken: boolean;
  readonly allowance: Allowance;
  /** Until the next call is possible; 0 where this one was. */
  readonly waitMs: number;
}

/** Takes one call from an allowance; null is a caller that was never seen. */
export function takeCall(before: Allowance | null, { max, perSecond }: AllowanceRate, nowMs: number): TakenCall {
  const refilled = before === null ? max : before.left + (Math.max(0, nowMs - before.atMs) / 1_000) * perSecond;
  const left = Math.min(max, refilled);
  if (left >= 1) return { isTaken: true, allowance: { left: left - 1, atMs: nowMs }, waitMs: 0 };
  return { isTaken: false, allowance: { left, atMs: nowMs }, waitMs: Math.ceil(((1 - left) / perSecond) * 1_000) };
}
