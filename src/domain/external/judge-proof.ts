import { normalUrl } from '../words/normal-url.ts';
import { PROOF_SECONDS_MAX } from './external-limits.ts';

/** The claims of a proof whose signature is right (RFC 9449 §4.2). */
export interface ProofClaims {
  readonly jti: string;
  readonly htm: string;
  readonly htu: string;
  /** Seconds since 1970 by the clock of its maker. */
  readonly iat: number;
  readonly nonce: string | null;
  /** The hash of the access token that it goes with. */
  readonly ath: string | null;
}

/** The request that a proof came with. */
export interface SignedRequest {
  readonly method: string;
  /** In the form of `normalUrl`. */
  readonly url: string;
  /** The hash of its access token; null where it carries none. */
  readonly tokenHash: string | null;
}

export interface ProofTime {
  readonly nowMs: number;
  /** How long ago this server made the nonce of the proof; null where it did not, or too long ago. */
  readonly nonceAgeMs: number | null;
}

export type ProofVerdict =
  | { readonly kind: 'right' }
  /** It would be right with a nonce of this server: its maker may try once more. */
  | { readonly kind: 'needs-nonce' }
  | { readonly kind: 'wrong'; readonly why: string };

/**
 * RFC 9449 §4.3. A proof lives 60 seconds: by its own time, or, where the clock of its maker is wrong, by the time that the
 * server put into the nonce.
 */
export function judgeProof(claims: ProofClaims, request: SignedRequest, time: ProofTime): ProofVerdict {
  const why = mismatch(claims, request);
  if (why !== null) return { kind: 'wrong', why };
  const { nonceAgeMs, nowMs } = time;
  if (nonceAgeMs === null) return { kind: 'needs-nonce' };
  const isOnTime = Math.abs(claims.iat * 1_000 - nowMs) <= PROOF_SECONDS_MAX * 1_000;
  const isNonceFresh = nonceAgeMs <= PROOF_SECONDS_MAX * 1_000;
  return isOnTime || isNonceFresh ? { kind: 'right' } : { kind: 'needs-nonce' };
}

function mismatch({ htm, htu, ath }: ProofClaims, { method, url, tokenHash }: SignedRequest): string | null {
  if (htm !== method) return `the proof is for ${JSON.stringify(htm)}, not for ${method}`;
  if (normalUrl(htu) !== url) return `the proof is for ${JSON.stringify(htu)}, not for ${url}`;
  if (ath === tokenHash) return null;
  return ath === null ? 'the proof names no access token (ath)' : 'the proof is for another access token (ath)';
}
