import { HTTP_CALL_MS_MAX, IDEMPOTENCY_KEY_CHARACTERS_MAX } from '../../domain/limits.ts';
import { REFUSALS, type Refusal, type RefusalCode, refuse } from '../../domain/refusal.ts';
import { NodeFault } from '../node-fault.ts';
import { type NodeAddress, requestNode } from './request-node.ts';
import type { ErrorBody } from './send-answer.ts';

export interface NodeCall {
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
export async function callNode(address: NodeAddress, call: NodeCall): Promise<object> {
  const refusal = refuseHeaders(call);
  if (refusal) return refusal;
  const operation = `${call.method} ${call.path}`;
  try {
    const { status, text } = await exchange(address, call);
    return readAnswer(operation, status, JSON.parse(text) as object);
  } catch (error) {
    if (error instanceof NodeFault) throw error;
    const message = `the node at ${address.url} does not answer, or went away before it did`;
    throw new NodeFault(operation, message, { retryable: true, cause: error });
  }
}

async function exchange(address: NodeAddress, call: NodeCall): Promise<{ status: number; text: string }> {
  const body = call.text ?? (call.body === undefined ? undefined : JSON.stringify(call.body));
  const response = await requestNode(address, {
    method: call.method,
    path: `${call.path}${queryOf(call)}`,
    headers: headersOf(call, body),
    body,
    ...(call.isLong !== true && { signal: AbortSignal.timeout(HTTP_CALL_MS_MAX) }),
  });
  let text = '';
  for await (const part of response.setEncoding('utf8')) text += part;
  return { status: response.statusCode ?? 0, text };
}

function headersOf(call: NodeCall, body: string | undefined): Record<string, string | number> {
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
function refuseHeaders({ key, run }: NodeCall): Refusal | null {
  if (key !== undefined && (!PRINTABLE.test(key) || key.length > IDEMPOTENCY_KEY_CHARACTERS_MAX)) {
    return refuse('invalid_argument', `a key is 1 to ${IDEMPOTENCY_KEY_CHARACTERS_MAX} printable characters`);
  }
  if (run != null && !PRINTABLE.test(run)) return refuse('invalid_argument', 'this is not the id of a run');
  return null;
}

function queryOf({ query = {} }: NodeCall): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value));
  return given.size === 0 ? '' : `?${given}`;
}

function readAnswer(operation: string, status: number, answer: object): object {
  if (!('error' in answer)) return answer;
  const { error } = answer as ErrorBody;
  const { code, message, path, hint, retryable, details, problems } = error;
  const more = { ...(details && { details }), ...(problems && { problems }) };
  if (isRefusalCode(code)) return { kind: 'refusal', code, message, path, hint, retryable, ...more };
  throw new NodeFault(operation, `${message} (${status} ${code})`, { retryable, code });
}

function isRefusalCode(code: string): code is RefusalCode {
  return Object.hasOwn(REFUSALS, code);
}
