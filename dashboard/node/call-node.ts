import { authorization, closeAccess } from './access.ts';
import { isErrorBody, NodeError, unreachable } from './node-error.ts';
import { readSafeJson } from './safe-json.ts';

type Query = Readonly<Record<string, string | number | boolean | undefined | null>>;

export interface ReadOptions {
  readonly signal?: AbortSignal;
  /** The caller itself makes the texts safe: it needs the codes of a terminal in them. */
  readonly hasControls?: boolean;
}

/** Reads something of the node. Throws a NodeError. */
export async function read<Answer>(path: string, query: Query = {}, options: ReadOptions = {}): Promise<Answer> {
  const { signal, hasControls = false } = options;
  const request = { method: 'GET', ...(signal && { signal }) };
  return (await exchange(`${path}${queryText(query)}`, request, hasControls)) as Answer;
}

export interface Change {
  readonly method?: 'POST' | 'PATCH';
  readonly body?: object;
  /** The node must not be sent this twice: no answer means that nobody knows what became of it. */
  readonly isOnce?: boolean;
}

const TRIES_MAX = 3;
const TRY_AGAIN_MS = 700;

/**
 * Changes something and resolves once it is in the ledger. A request that got no answer is sent again with its key, so
 * that it counts once.
 */
export async function change<Answer>(path: string, { method = 'POST', body = {}, isOnce = false }: Change = {}) {
  const key = crypto.randomUUID();
  const headers = { 'content-type': 'application/json', ...(!isOnce && { 'idempotency-key': key }) };
  const request = { method, headers, body: JSON.stringify(body) };
  for (let tries = 1; ; tries++) {
    try {
      return (await exchange(path, request)) as Answer;
    } catch (error) {
      const isLost = error instanceof NodeError && error.code === 'unreachable';
      if (!isLost || isOnce || tries === TRIES_MAX) throw error;
      await new Promise((resolve) => setTimeout(resolve, TRY_AGAIN_MS * tries));
    }
  }
}

async function exchange(address: string, { headers, ...request }: RequestInit, hasControls = false): Promise<unknown> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(address, {
      ...request,
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

/** A part of a path, whatever it is. */
export function part(text: string): string {
  return encodeURIComponent(text);
}

function queryText(query: Query): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '') given.set(name, String(value));
  }
  return given.size === 0 ? '' : `?${given}`;
}
