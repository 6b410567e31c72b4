import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { RunHolder } from '../../dispatch/attempt/agent-door.ts';
import type { DoorErrorCode } from './door-error.ts';
import { isOwnRequest } from './is-own-request.ts';
import type { RunPasses } from './run-passes.ts';

/** Who may come in. Nothing of a request is looked at before this. */
export interface Admission {
  /** The Host headers that mean this node, exactly. */
  readonly hosts: ReadonlySet<string>;
  /** The origins of the node's own pages, exactly. */
  readonly origins: ReadonlySet<string>;
  readonly token: Buffer;
  /** Of the agents that this node started. */
  readonly passes: Pick<RunPasses, 'holderOf'>;
}

/** Who asks. Nobody meets only what is open to all. */
export type Caller =
  | { readonly kind: 'nobody' }
  | { readonly kind: 'operator' }
  | { readonly kind: 'run'; readonly holder: RunHolder };

/** Answered without a token: they tell nothing but whether the node is there. */
const OPEN_PATHS: ReadonlySet<string> = new Set(['/healthz', '/readyz']);
const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'HEAD']);
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD']);
const BEARER = /^Bearer ([\x21-\x7e]{1,512})$/i;

/** Who comes in, or why it stays outside: first the form, then whom it means, then where it comes from, at last who asks. */
export function admitRequest(request: IncomingMessage, admission: Admission): Caller | DoorErrorCode {
  const { headers, method = '', url = '' } = request;
  if (!url.startsWith('/') || hasRepeated(request.rawHeaders)) return 'bad_request';
  if (headers.host === undefined || !admission.hosts.has(headers.host)) return 'forbidden_host';
  if (!isFromHere(request, admission)) return 'forbidden_origin';
  if (!METHODS.has(method)) return 'method_not_allowed';
  if (headers.upgrade !== undefined) return 'bad_request';
  const caller = callerOf(headers.authorization, admission);
  if (isOpen(request)) return caller;
  if (caller.kind === 'nobody') return 'unauthenticated';
  const isGranted =
    caller.kind === 'operator' || isOwnRequest({ method, url, run: headers['baton-run'] }, caller.holder);
  return isGranted ? caller : 'scope_denied';
}

/** Nobody without a token has a body read. */
function isOpen({ headers, method = '', url = '' }: IncomingMessage): boolean {
  const query = url.indexOf('?');
  if (!OPEN_PATHS.has(query === -1 ? url : url.slice(0, query)) || !SAFE_METHODS.has(method)) return false;
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
}

/** Node keeps the first of two Host headers; another reader on the way may have kept the second. */
function hasRepeated(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  let tokens = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
    if (name.length === 13 && name.toLowerCase() === 'authorization') tokens++;
  }
  return hosts > 1 || tokens > 1;
}

/** A browser says where a request comes from; a program says nothing. */
function isFromHere({ headers, method = '' }: IncomingMessage, { origins }: Admission): boolean {
  const { origin } = headers;
  const site = headers['sec-fetch-site'];
  if (!isOwnSite(site)) return false;
  if (origin !== undefined) return origins.has(origin);
  // A browser always sends the origin with what may change something. Only browsers name the site: Node's own fetch
  // sends other headers of the family.
  return site === undefined || SAFE_METHODS.has(method);
}

function isOwnSite(site: string | string[] | undefined): boolean {
  return site === undefined || site === 'same-origin' || site === 'none';
}

/** In a time that does not depend on how much of a token is right. */
export function callerOf(
  authorization: string | undefined,
  { token, passes }: Pick<Admission, 'token' | 'passes'>,
): Caller {
  const given = Buffer.from(BEARER.exec(authorization ?? '')?.[1] ?? '', 'latin1');
  if (given.length === token.length && timingSafeEqual(given, token)) return { kind: 'operator' };
  const holder = passes.holderOf(given);
  return holder === null ? { kind: 'nobody' } : { kind: 'run', holder };
}
