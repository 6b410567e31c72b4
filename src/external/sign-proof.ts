import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { calculateJwkThumbprint, type JWK_OKP_Public, SignJWT } from 'jose';

export interface ProofToSign {
  readonly method: string;
  /** Without query and fragment. */
  readonly url: string;
  readonly accessToken: string | null;
  readonly nonce: string | null;
  /** Null for a request without a body. */
  readonly body: string | null;
  readonly nowMs: number;
  /** A new one for each proof. */
  readonly id: string;
}

/** Signs a proof of possession for one request (RFC 9449 §4), with the hash of its body. */
export async function signProof(key: KeyObject, proof: ProofToSign): Promise<string> {
  const { method, url, accessToken, nonce, body, nowMs, id } = proof;
  const claims = {
    jti: id,
    htm: method,
    htu: url,
    ...(nonce !== null && { nonce }),
    ...(accessToken !== null && { ath: hashOf(accessToken) }),
    ...(body !== null && { htd: hashOf(body) }),
  };
  return await new SignJWT(claims)
    .setProtectedHeader({ typ: 'dpop+jwt', alg: 'EdDSA', jwk: publicOf(key) })
    .setIssuedAt(Math.floor(nowMs / 1_000))
    .sign(key);
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** RFC 7638, SHA-256 in base64url. */
export async function thumbprintOf(key: KeyObject): Promise<string> {
  return await calculateJwkThumbprint(publicOf(key));
}

function publicOf(key: KeyObject): JWK_OKP_Public {
  const { kty, crv, x } = createPublicKey(key).export({ format: 'jwk' });
  return { kty, crv, x } as JWK_OKP_Public;
}
