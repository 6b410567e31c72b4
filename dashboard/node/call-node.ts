import type { AnsweredName } from '../../src/api/calls.ts';
import type { AnswerOf, RequestOf } from '../../src/api/node-client.ts';
import { authorization, closeAccess } from './access.ts';
import { isErrorBody, NodeError, unreachable } from './node-error.ts';
import { type PAGE_CALLS, routeOf } from './page-calls.ts';
import { readSafeJson } from './safe-json.ts';

type PageCall = Extract<keyof typeof PAGE_CALLS, AnsweredName>;

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** The caller itself makes the texts safe: it needs the codes of a terminal in them. */
  readonly hasControls?: boolean;
}

const TRIES_MAX = 3;
const TRY_AGAIN_MS = 700;

/**
 * Makes a call and resolves with its answer; a change is in the ledger then. A change that got no answer is sent again with its key,
 * so that it counts once. Throws a NodeError.
 */
export async function call<Name extends PageCall>(
  name: Name,
  request: RequestOf<Name>,
  options: CallOptions = {},
): Promise<AnswerOf<Name>> {
  const { method, path, isOnce } = routeOf(name);
  const { address, rest } = fillIn(path, request);
  if (method === 'GET') return (await exchange(address + queryText(rest), { method }, options)) as AnswerOf<Name>;
  const key = crypto.randomUUID();
  const headers = { 'content-type': 'application/json', ...(!isOnce && { 'idempotency-key': key }) };
  for (let tries = 1; ; tries++) {
    try {
      return (await exchange(address, { method, headers, body: JSON.stringify(rest) }, options)) as AnswerOf<Name>;
    } catch (error) {
      const isLost = error instanceof NodeError && error.code === 'unreachable';
      if (!isLost || isOnce || tries === TRIES_MAX) throw error;
      await new Promise((resolve) => setTimeout(resolve, TRY_AGAIN_MS * tries));
    }
  }
}

/** The path with the fields that it names, and the other fields. */
function fillIn(path: string, request: object) {
  const rest: Record<string, unknown> = { ...request };
  const address = path.replace(/\{(\w+)\}/g, (_, field: string) => {
    const value = encodeURIComponent(String(rest[field]));
    delete rest[field];
    return value;
  });
  return { address, rest };
}

async function exchange(
  address: string,
  { headers, ...request }: RequestInit,
  { signal, hasControls = false }: CallOptions,
): Promise<unknown> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(address, {
      ...request,
      ...(signal && { signal }),
      headers: { accept: 'application/json', ...headers, ...authorization() },
      cache: 'no-store',
    });
    text = await response.text();
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw unreachable();
  }
  const answer: unknown = hasControls ? JSON.parse(text) : readSafeJson(text);
  if (!isErrorBody(answer)) return answer;
  const error = new NodeError(response.status, answer);
  if (error.code === 'unauthenticated') closeAccess(error);
  throw error;
}

function queryText(query: Readonly<Record<string, unknown>>): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '') given.set(name, String(value));
  }
  return given.size === 0 ? '' : `?${given}`;
}
