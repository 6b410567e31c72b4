import { createHash } from 'node:crypto';
import type { Enrolment, ExternalCaller, Scope } from '../domain/external/external-agent.ts';
import { ACCESS_TOKEN_CHARACTERS_MAX } from '../domain/external/external-limits.ts';
import { judgeOperation } from '../domain/external/judge-operation.ts';
import { judgeProof } from '../domain/external/judge-proof.ts';
import { isRefusal, type Refusal, refuse } from '../domain/refusal.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { selectEnrolment } from '../ledger/statements/external/enrolments.ts';
import { isProofUsed, type ProofUse } from '../ledger/statements/external/used-proofs.ts';
import type { Clock } from '../platform/clock.ts';
import type { AccessTokens } from './access-tokens.ts';
import { type AdmittedCall, type AuditedCall, admitCall, endCall, replayed, revokedAgent } from './admit-call.ts';
import type { CallRates } from './call-rates.ts';
import type { Nonces } from './nonces.ts';
import { type ReadProof, readProof } from './read-proof.ts';
import type { RefusedCalls } from './refused-calls.ts';

/** A request as far as it proves who sends it. */
export interface ProvingRequest {
  readonly method: string;
  /** In the form of `normalUrl`. */
  readonly url: string;
  readonly authorization: string | undefined;
  readonly dpop: string | undefined;
  readonly address: string;
  /** The operation that the audit names while nothing else is known of the call. */
  readonly operation: string;
}

/** A request with a right proof, which is not used up yet. */
export interface ProvedRequest {
  readonly kind: 'proved';
  readonly proof: ReadProof;
  readonly use: ProofUse;
  readonly address: string;
}

/** A request of an enrolled agent. */
export interface AuthenticatedRequest extends Omit<ProvedRequest, 'kind'> {
  readonly kind: 'authenticated';
  readonly enrolment: Enrolment;
  readonly caller: ExternalCaller;
  readonly expiresAtMs: number;
}

/** A call that an enrolled agent asks for. */
export interface AskedCall {
  readonly operation: string;
  /** The name of the task that it is about. */
  readonly task: string | null;
  readonly corrId: string | null;
  /** The agent chose it. */
  readonly isCorrelationGiven: boolean;
  readonly key: string | null;
  /** The call cannot be made for a reason that its scopes do not tell. */
  readonly refusal: Refusal | null;
  /** The scope that it needs, where it is no operation of its own. */
  readonly scope?: Scope;
}

export interface AccessParts {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly tokens: AccessTokens;
  readonly nonces: Nonces;
  readonly rates: CallRates;
  readonly refused: RefusedCalls;
}

const SCHEME = /^DPoP ([\w.-]{1,4096})$/i;

/** Decides whose call it is and whether it may be made (runtime:external-agents). Each refusal it gives is recorded. */
export class ExternalAccess {
  readonly #parts: AccessParts;

  constructor(parts: AccessParts) {
    this.#parts = parts;
  }

  /** For the header DPoP-Nonce of every answer. */
  nonce(): string {
    return this.#parts.nonces.make(this.#nowMs);
  }

  /** Verifies the proof of a request that carries no access token. */
  async prove(request: ProvingRequest): Promise<ProvedRequest | Refusal> {
    const proof = await this.#verify(request, null);
    return isRefusal(proof) ? await this.refuse({ ...callOf(request) }, proof) : provedOf(request, proof);
  }

  /** Verifies the access token of a request, and the proof that goes with it. */
  async authenticate(request: ProvingRequest): Promise<AuthenticatedRequest | Refusal> {
    const call = callOf(request);
    const [, token] = SCHEME.exec(request.authorization ?? '') ?? [];
    if (token === undefined || token.length > ACCESS_TOKEN_CHARACTERS_MAX)
      return await this.refuse(call, noToken(request));
    const claims = await this.#parts.tokens.read(token, this.#nowMs);
    if (claims === 'expired')
      return await this.refuse(call, refuse('expired_access_token', 'the access token has expired'));
    const enrolment = claims === 'invalid' ? null : selectEnrolment(this.#parts.ledger.read, claims.sessionId);
    if (claims === 'invalid' || enrolment === null)
      return await this.refuse(call, invalidToken('the access token is not of this node'));
    const proof = await this.#verify(request, token);
    if (isRefusal(proof)) return await this.refuse(call, proof);
    const { agent, thumbprint, revokedAt } = enrolment;
    const known = { ...call, thumbprint: proof.thumbprint };
    if (claims.agent !== agent || claims.thumbprint !== thumbprint || proof.thumbprint !== thumbprint)
      return await this.refuse(known, invalidToken('the access token is bound to another key'));
    if (revokedAt !== null) return await this.refuse({ ...known, ...whoIs(enrolment) }, revokedAgent());
    // The rights are those of the enrolment; a context token can only have fewer.
    const scopes = enrolment.scopes.filter((scope) => claims.task === null || claims.scopes.includes(scope));
    const caller: ExternalCaller = { agent, sessionId: enrolment.id, scopes, task: claims.task };
    const { expiresAtMs } = claims;
    return { ...provedOf(request, proof), kind: 'authenticated', enrolment, caller, expiresAtMs };
  }

  /** Refuses a body that is not the one that the proof was made for. */
  async refuseBody(
    { proof, use, address }: ProvedRequest | AuthenticatedRequest,
    body: Uint8Array,
    call: Partial<AuditedCall>,
  ): Promise<Refusal | null> {
    if (proof.htd === hashOf(body)) return null;
    const why = proof.htd === null ? 'the proof has no hash of the body (htd)' : 'the proof is for another body (htd)';
    const known = { operation: 'unknown', address, thumbprint: use.thumbprint, ...call };
    return await this.refuse(known, refuse('invalid_dpop_proof', why));
  }

  /** Judges a call by the scopes of its agent, uses its proof up and records it: from here on it counts. */
  async admit(request: AuthenticatedRequest, asked: AskedCall): Promise<AdmittedCall | Refusal> {
    const { caller, use, address } = request;
    const { operation, task, corrId, key, isCorrelationGiven } = asked;
    const call: AuditedCall = {
      ...whoIs(request.enrolment),
      thumbprint: use.thumbprint,
      operation,
      task,
      corrId,
      key,
      address,
    };
    // A replay costs its victim none of its calls. The commit below judges again.
    if (isProofUsed(this.#parts.ledger.read, use)) return await this.refuse(call, replayed());
    const { monotonicMs } = this.#parts.clock.now();
    const waitMs = this.#parts.rates.takeCall(caller.sessionId, monotonicMs);
    if (waitMs > 0) return await this.refuse(call, refuse('rate_limited', `${caller.agent} calls too often`));
    const judged = judge(caller, asked);
    const scope = isRefusal(judged) ? null : judged;
    const refusal = isRefusal(judged) ? judged : asked.refusal;
    const answer = await this.#parts.ledger.submit(admitCall, {
      caller,
      call: { ...call, scope },
      proof: use,
      isCorrelationGiven,
      refusal,
    });
    if (isRefusal(answer) || answer.kind === 'admitted') return answer;
    return this.#parts.refused.count(call, answer.refusal);
  }

  /** Records how a call ended. */
  async end({ n }: AdmittedCall, answer: string): Promise<void> {
    await this.#parts.ledger.submit(endCall, { n, answer });
  }

  /** Records a refusal; where there are too many of one address, it is answered as such. */
  async refuse(call: AuditedCall, refusal: Refusal): Promise<Refusal> {
    return await this.#parts.refused.record(call, refusal);
  }

  async #verify({ dpop, method, url }: ProvingRequest, token: string | null): Promise<ReadProof | Refusal> {
    if (dpop === undefined) return refuse('invalid_dpop_proof', 'the request has no proof (header DPoP)');
    const proof = await readProof(dpop);
    if ('kind' in proof) return refuse('invalid_dpop_proof', proof.why);
    const tokenHash = token === null ? null : hashOf(Buffer.from(token, 'latin1'));
    const nowMs = this.#nowMs;
    const nonceAgeMs = proof.nonce === null ? null : this.#parts.nonces.ageOf(proof.nonce, nowMs);
    const verdict = judgeProof(proof, { method, url, tokenHash }, { nowMs, nonceAgeMs });
    switch (verdict.kind) {
      case 'right':
        return proof;
      case 'needs-nonce':
        return refuse('use_dpop_nonce', 'the proof needs the present nonce of this node');
      case 'wrong':
        return refuse('invalid_dpop_proof', verdict.why);
    }
  }

  get #nowMs(): number {
    return this.#parts.clock.now().wallMs;
  }
}

function judge(caller: ExternalCaller, { operation, task, scope }: AskedCall): Scope | Refusal {
  if (scope === undefined) {
    const verdict = judgeOperation(caller, operation, task);
    return isRefusal(verdict) ? verdict : verdict.scope;
  }
  if (caller.task !== null) return refuse('scope_denied', `this token is for ${caller.task} only`);
  return caller.scopes.includes(scope) ? scope : refuse('scope_denied', `${operation} needs the scope ${scope}`);
}

function provedOf({ method, url, address }: ProvingRequest, proof: ReadProof): ProvedRequest {
  const { thumbprint, jti } = proof;
  return { kind: 'proved', proof, address, use: { thumbprint, jti, target: `${method} ${url}` } };
}

function callOf({ operation, address }: ProvingRequest): AuditedCall {
  return { operation, address };
}

function whoIs({ agent, id }: Enrolment): Pick<AuditedCall, 'actor' | 'sessionId'> {
  return { actor: agent, sessionId: id };
}

function invalidToken(message: string): Refusal {
  return refuse('invalid_access_token', message);
}

/** RFC 9449 §7.1: a token that is bound to a key counts with a proof of the key only. */
function noToken({ authorization }: ProvingRequest): Refusal {
  const isBearer = /^Bearer /i.test(authorization ?? '');
  return invalidToken(
    isBearer
      ? 'the access token is bound to a key: send Authorization: DPoP TOKEN and a proof'
      : 'send Authorization: DPoP TOKEN',
  );
}

/** RFC 9449 §4.2: SHA-256 in base64url. */
function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64url');
}
