import {
  QUOTA_BACKOFF_FACTOR,
  QUOTA_BACKOFF_MS,
  QUOTA_BACKOFF_MS_MAX,
  QUOTA_JITTER_MS,
  QUOTA_WAIT_MS_MAX,
} from '../limits.ts';

/** The time at which a vendor serves an account again, in the form that the vendor says it. */
export type Reset =
  | { readonly kind: 'at'; readonly wallMs: number }
  | { readonly kind: 'in'; readonly ms: number }
  /** The next time that a clock of this machine shows this. */
  | { readonly kind: 'at-time'; readonly hour: number; readonly minute: number };

/** A vendor's refusal to do more work for an account for now. */
export interface QuotaHit {
  readonly message: string;
  /** Milliseconds since 1970; null where the vendor does not say. */
  readonly resetsAt: number | null;
  /** The vendor's name of the limit, such as `five_hour`; null where it has none. */
  readonly scope: string | null;
}

/** A limit of paid credit: time does not lift it, so a person is asked at once. */
export const CREDIT = 'credit';

/** The reaction to an exhausted quota, as configured. */
export const ON_QUOTA = ['wait', 'other', 'ask'] as const;
export type OnQuota = (typeof ON_QUOTA)[number];

/** Its vendor refuses more work for now. That is no failure of the agent, and counts as no retry. */
export interface OutOfQuota extends QuotaHit {
  readonly kind: 'out-of-quota';
  /** Null for an agent without an account with a vendor. */
  readonly account: string | null;
  /** The instant at which the account may be tried again. */
  readonly until: number;
  /** As configured at that time. */
  readonly onQuota: OnQuota;
}

/** The instant of a reset; null for one that is no time at all. */
export function resetInstant(reset: Reset | null, nowMs: number): number | null {
  const at = reset === null ? Number.NaN : instantOf(reset, nowMs);
  return Number.isFinite(at) ? at : null;
}

function instantOf(reset: Reset, nowMs: number): number {
  if (reset.kind === 'at') return reset.wallMs;
  if (reset.kind === 'in') return nowMs + reset.ms;
  const next = new Date(nowMs);
  next.setHours(reset.hour, reset.minute, 0, 0);
  if (next.getTime() <= nowMs) next.setDate(next.getDate() + 1);
  return next.getTime();
}

export interface QuotaFacts {
  readonly resetsAt: number | null;
  readonly nowMs: number;
  /** Refusals in a row before this one. */
  readonly hitsBefore: number;
  /** Spreads those who wait for the same reset. */
  readonly seed: string;
}

/**
 * The instant at which the account is tried again: its reset and a jitter. A reset that is missing or over is replaced by
 * a wait that grows with each refusal; none is later than QUOTA_WAIT_MS_MAX from now.
 */
export function quotaUntil({ resetsAt, nowMs, hitsBefore, seed }: QuotaFacts): number {
  const isUsable = resetsAt !== null && Number.isFinite(resetsAt) && resetsAt > nowMs;
  const backoffMs = Math.min(QUOTA_BACKOFF_MS_MAX, QUOTA_BACKOFF_MS * QUOTA_BACKOFF_FACTOR ** hitsBefore);
  const waitMs = isUsable ? Math.min(resetsAt - nowMs, QUOTA_WAIT_MS_MAX) : backoffMs;
  const spreadMs = Math.min(QUOTA_JITTER_MS, waitMs * JITTER_SHARE);
  return Math.ceil(nowMs + waitMs + fractionOf(seed) * spreadMs);
}

const JITTER_SHARE = 0.1;

/** 0 to 1, the same for the same text. */
function fractionOf(text: string): number {
  let hash = 2_166_136_261;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16_777_619);
  return (hash >>> 0) / 2 ** 32;
}

/** The name of an account: its vendor, and a mark of its login. */
export function accountName(vendor: string, mark: string): string {
  return `${vendor}:${mark}`;
}

export function vendorOfAccount(account: string): string {
  return account.split(':', 1)[0] ?? account;
}

/** The quota of a vendor's account is used up: none of its agents starts before `until`. Then one starts, to try it. */
export interface QuotaHold {
  /** As `accountName` makes it. */
  readonly account: string;
  readonly until: number;
  readonly message: string;
  readonly scope: string | null;
}
