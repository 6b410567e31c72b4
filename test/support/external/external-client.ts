import { createHash, randomUUID } from 'node:crypto';
import { request as requestHttp } from 'node:http';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';

// A client of external agents that is made from RFC 9449 and docs/external-agents.md: it shares no code with Baton's own.

type SigningKey = Parameters<SignJWT['sign']>[0];

export interface KeyPair {
  readonly alg: string;
  readonly privateKey: SigningKey;
  readonly jwk: JWK;
  readonly thumbprint: string;
}

export async function newKey(alg = 'ES256'): Promise<KeyPair> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = await exportJWK(publicKey);
  return { alg, privateKey, jwk, thumbprint: await calculateJwkThumbprint(jwk) };
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readonly<Record<string, never>> & {
    readonly error?: { readonly code: string; readonly message: string; readonly hint: string };
  };
}

/** The code of a refusal, or `ok`. */
export function outcome({ status, body }: RawAnswer): string {
  return body.error?.code ?? (status < 300 ? 'ok' : `status ${status}`);
}

/** The result of an operation that must have been made. */
export function resultOf<Result>(answer: RawAnswer): Result {
  if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
  return (answer.body as unknown as { readonly result: Result }).result;
}

export function sha256(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('base64url');
}

export interface ProofParts {
  readonly method: string;
  readonly url: string;
  readonly body?: string;
  readonly token?: string | null;
  readonly nonce?: string | null;
  /** Replaces or, where undefined, removes claims. */
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly key?: KeyPair;
}

/** An external agent: its key, its tokens and its requests. */
export class ExternalStage {
  readonly url: string;
  key: KeyPair;
  nonce: string | null = null;
  access = '';
  refresh = '';
  session = '';

  /** The address that its requests come from. */
  readonly localAddress: string;

  constructor(url: string, key: KeyPair, localAddress = '127.0.0.1') {
    this.url = url;
    this.key = key;
    this.localAddress = localAddress;
  }

  async proof({
    method,
    url,
    body,
    token = null,
    nonce = this.nonce,
    claims = {},
    header = {},
    key = this.key,
  }: ProofParts): Promise<string> {
    const payload: Record<string, unknown> = {
      jti: randomUUID(),
      htm: method,
      htu: url,
      iat: Math.floor(Date.now() / 1000),
      ...(nonce !== null && { nonce }),
      ...(token !== null && { ath: sha256(token) }),
      ...(method !== 'GET' && { htd: sha256(body ?? '') }),
      ...claims,
    };
    for (const [name, value] of Object.entries(payload)) if (value === undefined) delete payload[name];
    const protectedHeader = { typ: 'dpop+jwt', alg: key.alg, jwk: key.jwk, ...header };
    return await new SignJWT(payload).setProtectedHeader(protectedHeader as never).sign(key.privateKey);
  }

  /** Sends a request as it is given, and keeps the nonce of the answer. */
  async raw(
    path: string,
    headers: Readonly<Record<string, string | string[]>>,
    body = '',
    method = 'POST',
  ): Promise<RawAnswer> {
    const answer = await new Promise<RawAnswer>((resolve, reject) => {
      const type =
        method === 'GET'
          ? {}
          : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
      const request = requestHttp(
        `${this.url}${path}`,
        { method, headers: { ...type, ...headers }, localAddress: this.localAddress },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (part) => (text += part));
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, headers: response.headers, body: JSON.parse(text || '{}') }),
          );
        },
      );
      request.on('error', reject).end(body);
    });
    const nonce = answer.headers['dpop-nonce'];
    if (typeof nonce === 'string') this.nonce = nonce;
    return answer;
  }

  /** One request with a proof, and once more where the node asks for its nonce. */
  async call(
    path: string,
    given: object,
    parts: Partial<ProofParts> & { readonly headers?: Record<string, string> } = {},
  ): Promise<RawAnswer> {
    const body = JSON.stringify(given);
    const { token = null, headers = {} } = parts;
    const send = async () => {
      const dpop = await this.proof({ method: 'POST', url: `${this.url}${path}`, body, ...parts });
      return await this.raw(
        path,
        { dpop, ...(token !== null && { authorization: `DPoP ${token}` }), ...headers },
        body,
      );
    };
    const first = await send();
    return outcome(first) === 'use_dpop_nonce' && parts.nonce === undefined ? await send() : first;
  }

  async enrol(invite: string): Promise<RawAnswer> {
    return this.keep(await this.call('/v1/external/exchange', { invite }));
  }

  async renew(refreshToken = this.refresh): Promise<RawAnswer> {
    return this.keep(await this.call('/v1/external/refresh', { refresh_token: refreshToken }));
  }

  keep(answer: RawAnswer): RawAnswer {
    if (answer.status !== 201) return answer;
    const { access_token: access, refresh_token: refresh, session_id: session } = answer.body as Record<string, string>;
    this.access = access ?? '';
    this.refresh = refresh ?? '';
    this.session = session ?? '';
    return answer;
  }

  async invoke(
    operation: string,
    given: object = {},
    parts: Parameters<ExternalStage['call']>[2] & { readonly corrId?: string } = {},
  ): Promise<RawAnswer> {
    const { corrId, ...rest } = parts;
    const body = { operation, arguments: given, ...(corrId !== undefined && { corrId }) };
    return await this.call('/v1/external/invoke', body, { token: this.access, ...rest });
  }
}
