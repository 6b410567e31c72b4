import {
  ACCEPTED_ACK_TIMEOUT_SECONDS,
  RESEND_FACTOR,
  RESEND_MS,
  RESEND_MS_MAX,
  RESEND_SPREAD,
  SEND_ATTEMPTS_MAX,
} from './federation-limits.ts';

export interface SentEvent {
  readonly eventId: string;
  /** From 1. */
  readonly attempt: number;
  readonly expiresAt: number | null;
}

export type ResendVerdict =
  | { readonly kind: 'resend' }
  /** Nobody accepted it: a dead letter tells so. */
  | { readonly kind: 'give-up'; readonly reason: 'unacknowledged' | 'expired' };

/** An event that is due and that not every recipient has accepted (runtime:resend). */
export function planResend({ attempt, expiresAt }: SentEvent, nowMs: number): ResendVerdict {
  if (expiresAt !== null && expiresAt <= nowMs) return { kind: 'give-up', reason: 'expired' };
  return attempt >= SEND_ATTEMPTS_MAX ? { kind: 'give-up', reason: 'unacknowledged' } : { kind: 'resend' };
}

/**
 * The time after an attempt at which the next is due: the time that an acknowledgement may take, and from the second attempt on a
 * growing pause, spread so that a thousand senders do not try in the same second.
 */
export function resendAfterMs({ eventId, attempt }: Pick<SentEvent, 'eventId' | 'attempt'>): number {
  const timeoutMs = ACCEPTED_ACK_TIMEOUT_SECONDS * 1_000;
  if (attempt <= 1) return timeoutMs;
  const pauseMs = Math.min(RESEND_MS_MAX, RESEND_MS * RESEND_FACTOR ** (attempt - 2));
  return Math.round(timeoutMs + pauseMs * (1 + RESEND_SPREAD * spreadOf(eventId)));
}

/** A number from -1 to 1 that only the id decides (FNV-1a, mixed once more). */
function spreadOf(id: string): number {
  let hash = 0x811c_9dc5;
  for (const character of id) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x0100_0193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x85eb_ca6b);
  return ((hash ^ (hash >>> 13)) >>> 0) / 0x8000_0000 - 1;
}
