import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';
import { clientIdOf, type Enrolment, isScope, type Scope } from '../domain/external/external-agent.ts';
import { ACCESS_TOKEN_SECONDS } from '../domain/external/external-limits.ts';
import { isJsonObject } from '../domain/words/json-object.ts';
import type { NodeKey } from '../platform/node-key.ts';

/** An access token for one enrolment; with a task it is a context token. */
export interface NewToken {
  readonly enrolment: Pick<Enrolment, 'id' | 'agent' | 'thumbprint'>;
  readonly scopes: readonly Scope[];
  /** The only task that it allows calls about. */
  readonly task: string | null;
  readonly seconds: number;
  readonly id: string;
}

export interface TokenClaims {
  readonly agent: string;
  readonly sessionId: string;
  readonly thumbprint: string;
  readonly scopes: readonly Scope[];
  readonly task: string | null;
  readonly expiresAtMs: number;
}

const PURPOSE = 'baton access tokens 1';
/** The beginning of every Ed25519 key in DER (RFC 8410). */
const ED25519_DER = Buffer.from('302e020100300506032b657004220420', 'hex');
const ALGORITHM = 'EdDSA';
const TYPE = 'at+jwt';
/** A clock that is set right by a little makes no token one of the future. */
const EARLY_SECONDS = 5;
const REQUIRED = ['sub', 'client_id', 'sid', 'jti', 'iat', 'nbf', 'exp', 'scope', 'cnf'];

/** Signs and reads the access tokens of a node (RFC 9068), each bound to a key (RFC 9449 §6). */
export class AccessTokens {
  readonly #signingKey: KeyObject;
  readonly #publicKey: KeyObject;
  readonly #issuer: string;
  readonly #audience: string;

  constructor(key: Pick<NodeKey, 'secretFor'>, project: string) {
    const der = Buffer.concat([ED25519_DER, key.secretFor(PURPOSE)]);
    this.#signingKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
    this.#publicKey = createPublicKey(this.#signingKey);
    this.#issuer = `urn:baton:${project}`;
    this.#audience = `${this.#issuer}:external`;
  }

  async issue({ enrolment, scopes, task, seconds, id }: NewToken, nowMs: number): Promise<string> {
    const now = Math.floor(nowMs / 1_000);
    const claims = {
      client_id: clientIdOf(enrolment),
      sid: enrolment.id,
      scope: scopes.join(' '),
      cnf: { jkt: enrolment.thumbprint },
      ...(task !== null && { task }),
    };
    return await new SignJWT(claims)
      .setProtectedHeader({ alg: ALGORITHM, typ: TYPE })
      .setIssuer(this.#issuer)
      .setAudience(this.#audience)
      .setSubject(enrolment.agent)
      .setJti(id)
      .setIssuedAt(now)
      .setNotBefore(now - EARLY_SECONDS)
      .setExpirationTime(now + seconds)
      .sign(this.#signingKey);
  }

  /** The claims of a token that this node signed and that has not ended. */
  async read(token: string, nowMs: number): Promise<TokenClaims | 'expired' | 'invalid'> {
    try {
      const { payload } = await jwtVerify(token, this.#publicKey, {
        algorithms: [ALGORITHM],
        typ: TYPE,
        issuer: this.#issuer,
        audience: this.#audience,
        requiredClaims: REQUIRED,
        currentDate: new Date(nowMs),
      });
      return claimsOf(payload) ?? 'invalid';
    } catch (error) {
      if (error instanceof errors.JWTExpired) return 'expired';
      if (error instanceof errors.JOSEError || error instanceof TypeError) return 'invalid';
      throw error;
    }
  }
}

function claimsOf(payload: Readonly<Record<string, unknown>>): TokenClaims | null {
  const { sub: agent, sid: sessionId, client_id: clientId, scope, cnf, task = null, exp, iat } = payload;
  const thumbprint = isJsonObject(cnf) ? cnf.jkt : null;
  if (typeof agent !== 'string' || typeof sessionId !== 'string' || typeof thumbprint !== 'string') return null;
  if (clientId !== clientIdOf({ agent, thumbprint }) || typeof scope !== 'string') return null;
  if (task !== null && typeof task !== 'string') return null;
  if (typeof exp !== 'number' || typeof iat !== 'number' || exp - iat > ACCESS_TOKEN_SECONDS) return null;
  return { agent, sessionId, thumbprint, scopes: scope.split(' ').filter(isScope), task, expiresAtMs: exp * 1_000 };
}
