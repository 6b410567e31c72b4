// Limits and lifetimes of external agents, with units in their names (runtime:external-agents).
import { DAY_MS, KIB } from '../limits.ts';

export const INVITE_MS_MAX = 15 * 60_000;
export const ACCESS_TOKEN_SECONDS = 600;
export const CONTEXT_TOKEN_SECONDS_MAX = 300;
export const REFRESH_TOKEN_MS = 7 * DAY_MS;

/** The age of a proof: by its own time, or by the server's time in its nonce. */
export const PROOF_SECONDS_MAX = 60;
/** A proof may bear a time of the near future, so it stays usable for up to twice its age; a clock may be set back meanwhile. */
export const USED_PROOF_KEPT_MS = 3 * PROOF_SECONDS_MAX * 1_000;
/** Beyond these a call is refused; a used proof is never forgotten early. */
export const USED_PROOFS_MAX = 1_000_000;
/** A nonce counts in the five minutes in which it was made, and in the five after them. */
export const NONCE_SLOT_MS = 5 * 60_000;
export const PROOF_CHARACTERS_MAX = 4 * KIB;
export const ACCESS_TOKEN_CHARACTERS_MAX = 4 * KIB;
export const JTI_CHARACTERS_MAX = 128;

/** Below the size at which bodies share memory: strangers cannot use that up. */
export const EXTERNAL_BODY_BYTES_MAX = 60 * KIB;
/** The body of a request without an access token: an invite or a refresh token. */
export const TOKEN_BODY_BYTES_MAX = 4 * KIB;

export const INVITE_GUESSES_MAX = 5;
export const INVITE_GUESSES_MS = 60_000;
/** Calls of one agent: so many at once, then so many a second. */
export const CALLS_AT_ONCE_MAX = 600;
export const CALLS_PER_SECOND = 20;
/** Refusals to one address that are told and recorded one by one; further ones are counted together. */
export const REFUSALS_AT_ONCE_MAX = 2_000;
export const REFUSALS_PER_SECOND = 20;
/** Addresses and agents whose calls are counted; the one that was silent longest goes first. */
export const COUNTED_CALLERS_MAX = 10_000;
/** Open streams of events of one agent. */
export const EXTERNAL_STREAMS_MAX = 4;

export const AUDIT_KEPT_MS = 90 * DAY_MS;
export const AUDIT_PER_PAGE_MAX = 500;
export const CORR_ID_CHARACTERS_MAX = 128;
