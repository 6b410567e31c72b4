import { calculateJwkThumbprint, compactVerify, decodeProtectedHeader, EmbeddedJWK, errors, type JWK } from 'jose';
import { PROOF_ALGORITHMS } from '../domain/external/external-agent.ts';
import { JTI_CHARACTERS_MAX, PROOF_CHARACTERS_MAX } from '../domain/external/external-limits.ts';
import type { ProofClaims } from '../domain/external/judge-proof.ts';
import { isJsonObject } from '../domain/words/json-object.ts';

export interface ReadProof extends ProofClaims {
  /** RFC 7638, of the key that signed it. */
  readonly thumbprint: string;
  /** The hash of the body that it goes with. */
  readonly htd: string | null;
}

export interface WrongProof {
  readonly kind: 'wrong';
  readonly why: string;
}

/** Everything of a public key on a curve, and what WebCrypto adds when it exports one. */
const KEY_FIELDS: ReadonlySet<string> = new Set(['kty', 'crv', 'x', 'y', 'alg', 'use', 'ext', 'key_ops']);
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const PRINTABLE = /^[\x21-\x7e]+$/;
const TEXT_CHARACTERS_MAX = 2_048;

/** Verifies the signature of a proof by the key in its own header, and reads its claims (RFC 9449 §4.2, §4.3). */
export async function readProof(text: string): Promise<ReadProof | WrongProof> {
  if (text.length > PROOF_CHARACTERS_MAX) return wrong(`a proof has at most ${PROOF_CHARACTERS_MAX} characters`);
  if (!COMPACT.test(text)) return wrong('this is no signed JWT');
  try {
    const jwk = keyOf(text);
    if (typeof jwk === 'string') return wrong(jwk);
    const { payload } = await compactVerify(text, EmbeddedJWK, { algorithms: PROOF_ALGORITHMS });
    const claims = claimsOf(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload)));
    return typeof claims === 'string' ? wrong(claims) : { ...claims, thumbprint: await calculateJwkThumbprint(jwk) };
  } catch (error) {
    // Every text that is no proof ends here; only an error of Baton itself is thrown on.
    if (error instanceof errors.JOSEError || error instanceof SyntaxError || error instanceof TypeError)
      return wrong('the signature of the proof is wrong, or its key');
    throw error;
  }
}

/** The public key in the header of a proof, or what is wrong with the header. */
function keyOf(text: string): JWK | string {
  const { typ, alg, jwk, ...rest } = decodeProtectedHeader(text);
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) return `the header of a proof has no ${JSON.stringify(unknown)}`;
  if (typ !== 'dpop+jwt') return 'the typ of a proof is dpop+jwt';
  if (typeof alg !== 'string' || !PROOF_ALGORITHMS.includes(alg))
    return `the alg of a proof is ${PROOF_ALGORITHMS.join(', ')}`;
  if (!isJsonObject(jwk)) return 'the header of a proof has its public key in jwk';
  const [other] = Object.keys(jwk).filter((name) => !KEY_FIELDS.has(name));
  return other === undefined ? (jwk as JWK) : `the key of a proof has no ${JSON.stringify(other)}`;
}

function claimsOf(payload: unknown): Omit<ReadProof, 'thumbprint'> | string {
  if (!isJsonObject(payload)) return 'the claims of a proof are an object';
  const { jti, htm, htu, iat, nonce = null, ath = null, htd = null } = payload;
  if (!isText(jti, JTI_CHARACTERS_MAX)) return `jti is a new id of up to ${JTI_CHARACTERS_MAX} characters`;
  if (!isText(htm, TEXT_CHARACTERS_MAX)) return 'htm is the method of the request';
  if (!isText(htu, TEXT_CHARACTERS_MAX)) return 'htu is the address of the request';
  if (typeof iat !== 'number' || !Number.isFinite(iat)) return 'iat is the time of the proof in seconds';
  const [wrongText] = Object.entries({ nonce, ath, htd }).filter(([, value]) => !isOptionalText(value));
  if (wrongText) return `${wrongText[0]} is a text`;
  return { jti, htm, htu, iat, ...({ nonce, ath, htd } as Pick<ReadProof, 'nonce' | 'ath' | 'htd'>) };
}

function isText(value: unknown, charactersMax: number): value is string {
  return typeof value === 'string' && value.length <= charactersMax && PRINTABLE.test(value);
}

function isOptionalText(value: unknown): boolean {
  return value === null || isText(value, TEXT_CHARACTERS_MAX);
}

function wrong(why: string): WrongProof {
  return { kind: 'wrong', why };
}
