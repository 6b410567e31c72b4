import type { IncomingMessage, RequestOptions } from 'node:http';
import { HTTP_CALL_MS_MAX } from '../../domain/http-limits.ts';
import { REFUSALS, type Refusal, type RefusalCode, refuse } from '../../domain/refusal.ts';
import { abortAfter } from '../../platform/timer.ts';
import { hintForCommand } from '../call-hint.ts';
import { refuseKey } from '../idempotency-key.ts';
import { NodeFault } from '../node-fault.ts';
import type { ErrorBody } from './send-answer.ts';

export interface HttpCall {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent unchanged. */
  readonly text?: string;
  readonly contentType?: string;
  readonly key?: string | undefined;
  readonly run?: string | null | undefined;
  /** Has no time limit. */
  readonly isLong?: boolean;
}

const PRINTABLE = /^[\x21-\x7e]+$/;

/** The node's answer or its refusal. Everything else is thrown as a NodeFault. */
export async function callNode(address: NodeAddress, call: HttpCall): Promise<object> {
  const refusal = refuseHeaders(call);
  if (refusal) return refusal;
  const operation = `${call.method} ${call.path}`;
  try {
    const { status, text } = await exchange(address, call);
    return readNodeAnswer(operation, status, JSON.parse(text) as object);
  } catch (error) {
    if (error instanceof NodeFault) throw error;
    const message = `the node at ${address.url} does not answer, or went away before it did`;
    throw new NodeFault(operation, message, { retryable: true, cause: error });
  }
}

async function exchange(address: NodeAddress, call: HttpCall): Promise<{ status: number; text: string }> {
  const body = call.text ?? (call.body === undefined ? undefined : JSON.stringify(call.body));
  const response = await requestNode(address, {
    method: call.method,
    path: `${call.path}${queryOf(call)}`,
    headers: headersOf(call, body),
    body,
    ...(call.isLong !== true && { signal: abortAfter(HTTP_CALL_MS_MAX) }),
  });
  let text = '';
  for await (const part of response.setEncoding('utf8')) text += part;
  return { status: response.statusCode ?? 0, text };
}

function headersOf(call: HttpCall, body: string | undefined): Record<string, string | number> {
  return {
    accept: 'application/json',
    ...(body !== undefined && {
      'content-type': call.contentType ?? 'application/json',
      'content-length': Buffer.byteLength(body),
    }),
    ...(call.key !== undefined && { 'idempotency-key': call.key }),
    ...(call.run != null && { 'baton-run': call.run }),
  };
}

/** Refuses what no header can carry. */
function refuseHeaders({ key, run }: HttpCall): Refusal | null {
  const wrongKey = key === undefined ? null : refuseKey(key, 'a key');
  if (wrongKey) return wrongKey;
  if (run != null && !PRINTABLE.test(run)) return refuse('invalid_argument', 'this is not the id of a run');
  return null;
}

function queryOf({ query = {} }: HttpCall): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value));
  return given.size === 0 ? '' : `?${given}`;
}

export function readNodeAnswer(operation: string, status: number, answer: object): object {
  if (!('error' in answer)) return answer;
  const { error } = answer as ErrorBody;
  const { code, message, path, retryable, details, problems } = error;
  const more = { ...(details && { details }), ...(problems && { problems }) };
  if (isRefusalCode(code)) {
    return { kind: 'refusal', code, message, path, hint: hintForCommand(error), retryable, ...more };
  }
  throw new NodeFault(operation, `${message} (${status} ${code})`, { retryable, code });
}

function isRefusalCode(code: string): code is RefusalCode {
  return Object.hasOwn(REFUSALS, code);
}

/** The address of a node, as node.json states it. */
export interface NodeAddress {
  readonly url: string;
  readonly token: string;
  /** SHA-256 of its TLS certificate. Without it, the certificate authorities of this machine decide. */
  readonly certSha256?: string | undefined;
}

interface NodeRequest {
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Sends a request with the token of the node. */
export function requestNode(address: NodeAddress, request: NodeRequest): Promise<IncomingMessage> {
  const headers = { ...request.headers, authorization: `Bearer ${address.token}` };
  return requestAt(address, { ...request, headers });
}

/** Sends a request and resolves with the head of the response. Errors of the connection are thrown unchanged. */
export function requestAt(address: Omit<NodeAddress, 'token'>, request: NodeRequest): Promise<IncomingMessage> {
  const { method, path, headers, body, signal } = request;
  const url = new URL(`${address.url}${path}`);
  const { certSha256 } = address;
  const options = {
    method,
    headers,
    ...(signal && { signal }),
    ...(certSha256 && url.protocol === 'https:' && { createConnection: pinned(url, { certSha256, signal }) }),
  };
  return new Promise((resolve, reject) => {
    requestOf(url)(url, options, resolve).on('error', reject).end(body);
  });
}

/**
 * Neither fetch nor an import of node:http: both load fetch, since an import reads every name that the module exports,
 * and that alone takes longer than a short command should.
 */
function requestOf({ protocol }: URL): typeof import('node:http').request {
  return process.getBuiltinModule(protocol === 'https:' ? 'node:https' : 'node:http').request;
}

interface Pin {
  readonly certSha256: string;
  readonly signal: AbortSignal | undefined;
}

/**
 * Sends the token only after the node has proved that it has the key of the certificate that node.json names. The
 * certificate's issuer, name and expiry do not matter: the node's own user wrote its fingerprint into node.json.
 */
function pinned(url: URL, { certSha256, signal }: Pin): NonNullable<RequestOptions['createConnection']> {
  return (_options, done) => {
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
    const port = Number(url.port || 443);
    const socket = process.getBuiltinModule('node:tls').connect({ host, port, rejectUnauthorized: false });
    const giveUp = () => socket.destroy(signal?.reason as Error);
    const fail = (error: Error) => done(error, socket);
    signal?.addEventListener('abort', giveUp, { once: true });
    socket.once('error', fail).once('secureConnect', () => {
      if (socket.getPeerX509Certificate()?.fingerprint256 !== certSha256) {
        socket.destroy(new Error(`${url.host} does not show the certificate of the node`));
        return;
      }
      signal?.removeEventListener('abort', giveUp);
      socket.off('error', fail);
      done(null, socket);
    });
    return undefined;
  };
}
