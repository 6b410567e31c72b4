import type { ContextAnswer, TokenAnswer } from '../api/external/external-contract.ts';
import type { RequestOf } from '../api/node-client.ts';
import { hashOfSecret } from '../calls/external/external-calls.ts';
import { clientIdOf, type Enrolment, isScope, OPERATIONS, type Scope } from '../domain/external/external-agent.ts';
import {
  ACCESS_TOKEN_SECONDS,
  CONTEXT_TOKEN_SECONDS_MAX,
  REFRESH_TOKEN_MS,
} from '../domain/external/external-limits.ts';
import { isRefusal, type Refusal, refuse } from '../domain/refusal.ts';
import { selectTask, selectTaskByUid } from '../ledger/statements/tasks.ts';
import type { Reader } from '../ledger/tx.ts';
import { randomSecret } from '../platform/secret.ts';
import type { AuditedRefusal } from './admit-call.ts';
import { type EnrolledAgent, exchangeInvite, refreshEnrolment } from './enrol-agent.ts';
import type { AccessParts, AuthenticatedRequest, ExternalAccess, ProvedRequest } from './external-access.ts';

const REFRESH_PREFIX = 'baton-refresh-';

/** The calls by which an external agent gets its tokens. */
export class TokenCalls {
  readonly #parts: AccessParts;
  readonly #access: ExternalAccess;

  constructor(parts: AccessParts, access: ExternalAccess) {
    this.#parts = parts;
    this.#access = access;
  }

  /** An address that has tried five wrong invites within a minute waits, with a right one too. */
  async exchange(
    { use, address }: ProvedRequest,
    { invite }: RequestOf<'exchangeInvite'>,
  ): Promise<TokenAnswer | Refusal> {
    const { ledger, clock, rates } = this.#parts;
    const call = { operation: 'exchange', address, thumbprint: use.thumbprint };
    const { monotonicMs } = clock.now();
    const waitMs = rates.guessWaitMs(address, monotonicMs);
    if (waitMs > 0) {
      const message = `too many wrong invites: try again in ${Math.ceil(waitMs / 1_000)} s`;
      return await this.#access.refuse(call, refuse('rate_limited', message));
    }
    const refreshToken = newRefreshToken();
    const facts = { proof: use, address, codeHash: hashOfSecret(invite), refreshHash: hashOfSecret(refreshToken) };
    const answer = await ledger.submit(exchangeInvite, facts);
    if (!isRefusal(answer) && answer.kind === 'refused' && answer.refusal.code === 'invalid_invite')
      rates.countGuess(address, monotonicMs);
    return await this.#tokensFor(answer, refreshToken, call);
  }

  async refresh({ use, address }: ProvedRequest, request: RequestOf<'refreshTokens'>): Promise<TokenAnswer | Refusal> {
    const refreshToken = newRefreshToken();
    const hashes = { tokenHash: hashOfSecret(request.refresh_token), refreshHash: hashOfSecret(refreshToken) };
    const answer = await this.#parts.ledger.submit(refreshEnrolment, { proof: use, address, ...hashes });
    return await this.#tokensFor(answer, refreshToken, { operation: 'refresh', address });
  }

  /** A token that is narrowed to one task and to the scopes that it is asked for. */
  async context(request: AuthenticatedRequest, wanted: RequestOf<'issueContext'>): Promise<ContextAnswer | Refusal> {
    const { enrolment, caller } = request;
    const { seconds = CONTEXT_TOKEN_SECONDS_MAX } = wanted;
    const task = taskNamed(this.#parts.ledger.read, wanted.task);
    const scopes = contextScopes(caller.scopes, wanted.scopes);
    const refusal = refuseContext({ task, scopes, seconds }, caller.task);
    const asked = { operation: 'context', task, corrId: null, isCorrelationGiven: false, key: null, refusal };
    // Whoever may do nothing about tasks needs no token for one.
    const scope = caller.scopes.find((each) => TASK_SCOPES.includes(each)) ?? 'task.read';
    const admitted = await this.#access.admit(request, { ...asked, scope });
    if (isRefusal(admitted)) return admitted;
    if (isRefusal(scopes) || task === null) throw new Error('a context was admitted without its task or scopes');
    const answer = await this.#answerFor(enrolment, { scopes, task, seconds });
    await this.#access.end(admitted, 'done');
    return { ...answer, task };
  }

  async #tokensFor(
    answer: EnrolledAgent | AuditedRefusal | Refusal,
    refreshToken: string,
    call: Parameters<AccessParts['refused']['count']>[0],
  ): Promise<TokenAnswer | Refusal> {
    if (isRefusal(answer)) return answer;
    if (answer.kind === 'refused') return this.#parts.refused.count(call, answer.refusal);
    const { enrolment } = answer;
    const { scopes } = enrolment;
    const tokens = await this.#answerFor(enrolment, { scopes, task: null, seconds: ACCESS_TOKEN_SECONDS });
    return { ...tokens, refresh_token: refreshToken, refresh_expires_in: REFRESH_TOKEN_MS / 1_000 };
  }

  async #answerFor(enrolment: Enrolment, { scopes, task, seconds }: TokenTerms): Promise<Omit<ContextAnswer, 'task'>> {
    const { tokens, clock } = this.#parts;
    const id = randomSecret();
    return {
      access_token: await tokens.issue({ enrolment, scopes, task, seconds, id }, clock.now().wallMs),
      token_type: 'DPoP',
      expires_in: seconds,
      scope: scopes.join(' '),
      client_id: clientIdOf(enrolment),
      agent: enrolment.agent,
      session_id: enrolment.id,
    };
  }
}

interface TokenTerms {
  readonly scopes: readonly Scope[];
  readonly task: string | null;
  readonly seconds: number;
}

const TASK_SCOPES: readonly Scope[] = [
  ...new Set(Object.values(OPERATIONS).flatMap(({ scope, isAboutTask }) => (isAboutTask ? [scope] : []))),
];

function newRefreshToken(): string {
  return `${REFRESH_PREFIX}${randomSecret()}`;
}

/** The lasting name of a task that is given by it or by its uid; null where there is none. */
export function taskNamed(read: Reader, reference: string): string | null {
  return (selectTask(read, reference) ?? selectTaskByUid(read, reference))?.id ?? null;
}

function contextScopes(own: readonly Scope[], wanted: readonly string[] | undefined): readonly Scope[] | Refusal {
  if (wanted === undefined) return own.filter((scope) => TASK_SCOPES.includes(scope));
  const beyond = wanted.find((scope) => !isScope(scope) || !own.includes(scope));
  return beyond === undefined
    ? wanted.filter(isScope)
    : refuse('scope_denied', `this agent has no scope ${JSON.stringify(beyond)}`, '/scopes');
}

interface AskedContext {
  readonly task: string | null;
  readonly scopes: readonly Scope[] | Refusal;
  readonly seconds: number;
}

function refuseContext({ task, scopes, seconds }: AskedContext, context: string | null): Refusal | null {
  if (isRefusal(scopes)) return scopes;
  if (task === null) return refuse('task_not_found', 'there is no such task', '/task');
  if (context !== null) return refuse('scope_denied', 'a context token makes no other', '/task');
  if (seconds <= CONTEXT_TOKEN_SECONDS_MAX) return null;
  return refuse('invalid_argument', `a context token lives at most ${CONTEXT_TOKEN_SECONDS_MAX} s`, '/seconds');
}
