import type { KeyObject } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { HTTP_CALL_MS_MAX } from '../../domain/http-limits.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import { signProof, thumbprintOf } from '../../external/sign-proof.ts';
import {
  type AgentIdentity,
  agentKeyOf,
  readIdentity,
  readNonce,
  tryIdentityLock,
  writeIdentity,
  writeNonce,
} from '../../platform/agent-identity.ts';
import { systemClock } from '../../platform/clock.ts';
import { randomSecret } from '../../platform/secret.ts';
import { abortAfter, systemTimer } from '../../platform/timer.ts';
import { readNodeAnswer, requestAt } from '../http/call-node.ts';
import { NodeFault } from '../node-fault.ts';
import { PROVED_CALLS } from './external-call-table.ts';
import type { TokenAnswer } from './external-contract.ts';

/** A request that carries a proof. */
export interface ProvedCall {
  readonly name: keyof typeof PROVED_CALLS;
  /** Sent as JSON; absent for a GET. */
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

export interface RequestPlace {
  readonly url: string;
  readonly certSha256?: string | undefined;
}

/** Access tokens are exchanged so long before their end. */
const EARLY_MS = 10_000;
/** A nonce counts for five minutes and more. */
const NONCE_KEPT_MS = 60_000;
const LOCK_WAIT_MS = 50;
const LOCK_WAITS_MAX = 200;

/** Signs and sends requests with one key, and keeps the nonce of the node. */
export class ProvedRequests {
  readonly #place: RequestPlace;
  readonly #key: KeyObject;
  readonly #clock = systemClock();
  readonly #path: string;
  #nonce: string | null;
  #nonceKeptMs = Number.NEGATIVE_INFINITY;

  /** The nonce of the node is kept beside the file of the identity, so that a short command needs one request. */
  constructor(place: RequestPlace, key: AgentIdentity['key'], path: string) {
    this.#place = place;
    this.#key = agentKeyOf(key);
    this.#path = path;
    this.#nonce = readNonce(path);
  }

  async keyThumbprint(): Promise<string> {
    return await thumbprintOf(this.#key);
  }

  get nowMs(): number {
    return this.#clock.now().wallMs;
  }

  /** The answer or the refusal of the node. */
  async call(call: ProvedCall, accessToken: string | null): Promise<object> {
    const response = await this.open(call, accessToken);
    return isRefusal(response) ? response : await this.#answerOf(call, response);
  }

  /** An accepted response before its body is read, or the refusal. Where the node asks for its nonce, the request is sent once more. */
  async open(call: ProvedCall, accessToken: string | null): Promise<IncomingMessage | Refusal> {
    const first = await this.#judged(call, await this.#send(call, accessToken));
    const isAsked = isRefusal(first) && first.code === 'use_dpop_nonce';
    return isAsked ? await this.#judged(call, await this.#send(call, accessToken)) : first;
  }

  async #judged(call: ProvedCall, response: IncomingMessage): Promise<IncomingMessage | Refusal> {
    if ((response.statusCode ?? 0) < 300) return response;
    const answer = await this.#answerOf(call, response);
    if (isRefusal(answer)) return answer;
    throw new NodeFault(call.name, `the node answered ${response.statusCode} without an error`, { retryable: false });
  }

  async #send({ name, body, headers = {}, signal }: ProvedCall, accessToken: string | null): Promise<IncomingMessage> {
    const { method, path } = PROVED_CALLS[name];
    const text = body === undefined ? null : JSON.stringify(body);
    const url = `${this.#place.url}${path}`;
    const facts = { method, url, accessToken, nonce: this.#nonce, body: text, nowMs: this.nowMs, id: randomSecret() };
    const length =
      text === null ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
    const all = {
      ...headers,
      ...length,
      dpop: await signProof(this.#key, facts),
      ...(accessToken !== null && { authorization: `DPoP ${accessToken}` }),
    };
    const limit = signal ?? (method === 'GET' ? undefined : abortAfter(HTTP_CALL_MS_MAX));
    const request = { method, path, headers: all, ...(text !== null && { body: text }), signal: limit };
    const response = await requestAt(this.#place, request).catch((error: unknown) => {
      throw this.#unreachable(name, error);
    });
    const nonce = response.headers['dpop-nonce'];
    if (typeof nonce === 'string') this.#keepNonce(nonce);
    return response;
  }

  #keepNonce(nonce: string): void {
    this.#nonce = nonce;
    const { monotonicMs } = this.#clock.now();
    if (monotonicMs - this.#nonceKeptMs < NONCE_KEPT_MS) return;
    this.#nonceKeptMs = monotonicMs;
    writeNonce(this.#path, nonce);
  }

  async #answerOf({ name }: ProvedCall, response: IncomingMessage): Promise<object> {
    try {
      let text = '';
      for await (const part of response.setEncoding('utf8')) text += part;
      return readNodeAnswer(name, response.statusCode ?? 0, JSON.parse(text) as object);
    } catch (error) {
      if (error instanceof NodeFault) throw error;
      throw this.#unreachable(name, error);
    }
  }

  #unreachable(name: string, cause: unknown): NodeFault {
    const message = `the node at ${this.#place.url} does not answer, or went away before it did`;
    return new NodeFault(name, message, { retryable: true, cause });
  }
}

/** The tokens of an identity file, exchanged for new ones when they end. */
export class IdentityTokens {
  readonly #path: string;
  readonly #requests: ProvedRequests;
  #identity: AgentIdentity;

  constructor(path: string, identity: AgentIdentity, requests: ProvedRequests) {
    this.#path = path;
    this.#identity = identity;
    this.#requests = requests;
  }

  get identity(): AgentIdentity {
    return this.#identity;
  }

  /** An access token that has not ended; `isRefused`: the node did not accept the present one. */
  async access(isRefused = false): Promise<string | Refusal> {
    const { accessToken, accessEndsAt } = this.#identity;
    if (!isRefused && this.#requests.nowMs < accessEndsAt - EARLY_MS) return accessToken;
    return await this.#refreshed(accessToken);
  }

  /** A refresh token works once: of several processes with one file, one exchanges it and the others read what it got. */
  async #refreshed(before: string): Promise<string | Refusal> {
    const lock = await this.#lock();
    if (isRefusal(lock)) return lock;
    try {
      const stored = readIdentity(this.#path) ?? this.#identity;
      if (stored.accessToken !== before && this.#requests.nowMs < stored.accessEndsAt - EARLY_MS) {
        this.#identity = stored;
        return stored.accessToken;
      }
      const answer = await this.#requests.call(
        { name: 'refreshTokens', body: { refresh_token: stored.refreshToken } },
        null,
      );
      if (isRefusal(answer)) return answer;
      this.#identity = withTokens(stored, answer as TokenAnswer, this.#requests.nowMs);
      writeIdentity(this.#path, this.#identity);
      return this.#identity.accessToken;
    } finally {
      lock.release();
    }
  }

  async #lock() {
    for (let waits = 0; waits < LOCK_WAITS_MAX; waits++) {
      const lock = tryIdentityLock(this.#path);
      if (lock) return lock;
      await systemTimer().pause(LOCK_WAIT_MS);
    }
    return refuse('overloaded', `another process holds ${this.#path}.lock`);
  }
}

/** An identity with the tokens of an answer. */
export function withTokens(
  identity: Pick<AgentIdentity, 'url' | 'certSha256' | 'key'>,
  answer: TokenAnswer,
  nowMs: number,
): AgentIdentity {
  const { url, certSha256, key } = identity;
  return {
    url,
    ...(certSha256 !== undefined && { certSha256 }),
    agent: answer.agent,
    sessionId: answer.session_id,
    scopes: answer.scope.split(' '),
    key,
    accessToken: answer.access_token,
    accessEndsAt: nowMs + answer.expires_in * 1_000,
    refreshToken: answer.refresh_token,
  };
}
