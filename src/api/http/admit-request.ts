import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { DoorErrorCode } from './door-error.ts';

/** Who may come in. Nothing of a request is looked at before this. */
export interface Admission {
  /** The Host headers that mean this node, exactly. */
  readonly hosts: ReadonlySet<string>;
  /** The origins of the node's own pages, exactly. */
  readonly origins: ReadonlySet<string>;
  readonly token: Buffer;
}

/** Answered without a token: they tell nothing but whether the node is there. */
const OPEN_PATHS: ReadonlySet<string> = new Set(['/healthz', '/readyz']);
const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'HEAD']);
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD']);
const BEARER = /^Bearer ([\x21-\x7e]{1,512})$/i;

/** Null, or why it stays outside: first the form, then whom it means, then where it comes from, at last who asks. */
export function refuseRequest(request: IncomingMessage, admission: Admission): DoorErrorCode | null {
  const { headers, method = '', url = '' } = request;
  if (!url.startsWith('/') || hasRepeated(request.rawHeaders)) return 'bad_request';
  if (headers.host === undefined || !admission.hosts.has(headers.host)) return 'forbidden_host';
  if (!isFromHere(request, admission)) return 'forbidden_origin';
  if (!METHODS.has(method)) return 'method_not_allowed';
  if (headers.upgrade !== undefined) return 'bad_request';
  if (isOpen(request)) return null;
  return hasToken(headers.authorization, admission.token) ? null : 'unauthenticated';
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

/** In a time that does not depend on how much of the token is right. */
export function hasToken(authorization: string | undefined, token: Buffer): boolean {
  const given = Buffer.from(BEARER.exec(authorization ?? '')?.[1] ?? '', 'latin1');
  return given.length === token.length && timingSafeEqual(given, token);
}
