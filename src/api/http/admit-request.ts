import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Caller, ClientFor } from '../../calls/rights.ts';
import { EXTERNAL_BODY_BYTES_MAX } from '../../domain/external/external-limits.ts';
import type { AgentEndpoint, RunHolder } from '../../domain/task/channel.ts';
import { randomSecret } from '../../platform/secret.ts';
import { specOf } from '../calls.ts';
import { PROVED_CALLS } from '../external/external-call-table.ts';
import type { NodeClient } from '../node-client.ts';
import type { DashboardAccess } from './dashboard/dashboard-access.ts';
import { isAsset, isLost, isNavigation, isPage, pathOf } from './dashboard/dashboard-paths.ts';
import type { HttpErrorCode } from './send-answer.ts';

/** The hosts, origins and tokens that admit a request; checked before its body is read. */
export interface Admission {
  /** The Host headers that mean this node, exactly. */
  readonly hosts: ReadonlySet<string>;
  /** The origins of the node's own pages, exactly. */
  readonly origins: ReadonlySet<string>;
  readonly token: Buffer;
  /** Tokens of the agents that this node started. */
  readonly runTokens: Pick<RunTokens, 'holderOf'>;
  /** Tokens of browsers that the operator logged in by a link. */
  readonly dashboard: Pick<DashboardAccess, 'isToken'>;
}

/** A caller without a token reaches the open paths only. */
type Visitor = Caller | { readonly kind: 'unauthenticated' };

/** Answered without a token: they say only whether the node is there. */
const OPEN_PATHS: ReadonlySet<string> = new Set(['/healthz', '/readyz']);
const LOGIN = specOf('exchangeLink');
/** Their routes verify a proof before they read a body. */
const PROVED_ROUTES: ReadonlySet<string> = new Set(
  Object.values(PROVED_CALLS).map(({ method, path }) => `${method} ${path}`),
);
const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'HEAD']);
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD']);
const BEARER = /^Bearer ([\x21-\x7e]{1,512})$/i;

/** Checks the form of a request, its Host, its Origin and its token, in this order. The caller's client checks its rights. */
export function admitRequest(request: IncomingMessage, admission: Admission): Visitor | HttpErrorCode {
  const { headers, method = '', url = '' } = request;
  if (!url.startsWith('/') || hasRepeated(request.rawHeaders)) return 'bad_request';
  if (headers.host === undefined || !admission.hosts.has(headers.host)) return 'forbidden_host';
  if (!isFromHere(request, admission)) return 'forbidden_origin';
  if (!METHODS.has(method)) return 'method_not_allowed';
  if (headers.upgrade !== undefined) return 'bad_request';
  if (isProved(request)) return isSmall(request) ? { kind: 'unauthenticated' } : 'body_too_large';
  const visitor = visitorOf(headers.authorization, admission);
  return visitor.kind === 'unauthenticated' && !isOpen(request) ? 'unauthenticated' : visitor;
}

/** Files of the dashboard tell nothing about the node, and a link proves itself. Without a token no body is read. */
function isOpen(request: IncomingMessage): boolean {
  const { headers, method = '', url = '' } = request;
  const isFile = OPEN_PATHS.has(pathOf(url)) || isPage(url) || isAsset(url) || isLost(request);
  if (!(isFile && SAFE_METHODS.has(method)) && !(url === LOGIN.path && method === LOGIN.method)) return false;
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
}

/** Whoever calls these is authenticated by their route, by a proof and by nothing else. */
function isProved({ method = '', url = '' }: IncomingMessage): boolean {
  return PROVED_ROUTES.has(`${method} ${pathOf(url)}`);
}

/** A stranger takes no part of the memory for large bodies. */
function isSmall({ headers }: IncomingMessage): boolean {
  return (
    headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= EXTERNAL_BODY_BYTES_MAX
  );
}

/** Node uses the first of two Host headers; a proxy on the way may have used the second. */
function hasRepeated(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  let tokens = 0;
  let proofs = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
    if (name.length === 13 && name.toLowerCase() === 'authorization') tokens++;
    if (name.length === 4 && name.toLowerCase() === 'dpop') proofs++;
  }
  return hosts > 1 || tokens > 1 || proofs > 1;
}

/** A browser states the origin of a request; a program does not. */
function isFromHere(request: IncomingMessage, { origins }: Admission): boolean {
  const { headers, method = '', url = '' } = request;
  const { origin } = headers;
  const site = headers['sec-fetch-site'];
  // A person may follow a link to a page from anywhere: the page is the same for everybody.
  if (origin === undefined && isNavigation(request) && (isPage(url) || isLost(request))) return true;
  if (!isOwnSite(site)) return false;
  if (origin !== undefined) return origins.has(origin);
  // A browser always sends the origin with what may change something. Only browsers name the site: Node's own fetch
  // sends other headers of the family.
  return site === undefined || SAFE_METHODS.has(method);
}

function isOwnSite(site: string | string[] | undefined): boolean {
  return site === undefined || site === 'same-origin' || site === 'none';
}

/** Compares in constant time. */
export function visitorOf(
  authorization: string | undefined,
  { token, runTokens, dashboard }: Pick<Admission, 'token' | 'runTokens' | 'dashboard'>,
): Visitor {
  const given = Buffer.from(BEARER.exec(authorization ?? '')?.[1] ?? '', 'latin1');
  if (given.length === token.length && timingSafeEqual(given, token)) return { kind: 'operator' };
  if (dashboard.isToken(given)) return { kind: 'operator' };
  const holder = runTokens.holderOf(given);
  return holder === null ? { kind: 'unauthenticated' } : { kind: 'run', holder };
}

interface IssuedToken {
  readonly holder: RunHolder;
  readonly token: Buffer;
}

/** The tokens of live runs. They are in memory only, so no other node ever accepts them. */
export class RunTokens {
  readonly #issued = new Map<string, IssuedToken>();

  /** A run has one token: an earlier one no longer counts. */
  admit(holder: RunHolder): string {
    const token = randomSecret();
    this.#issued.set(holder.runId, { holder, token: Buffer.from(token, 'latin1') });
    return token;
  }

  release(runId: string): void {
    this.#issued.delete(runId);
  }

  /** Compares with every token in full, so the time taken says nothing about how much of one is right. */
  holderOf(given: Buffer): RunHolder | null {
    let found: RunHolder | null = null;
    for (const { holder, token } of this.#issued.values()) {
      if (given.length === token.length && timingSafeEqual(given, token)) found = holder;
    }
    return found;
  }

  /** The address of this node, for the agents that it starts. */
  agentEndpoint(address: Pick<AgentEndpoint, 'url' | 'port'>): AgentEndpoint {
    return { ...address, admit: (holder) => this.admit(holder), release: (runId) => this.release(runId) };
  }
}

interface Request {
  readonly raw: IncomingMessage;
}

/** The caller of each admitted request. Every route gets its client here. */
export class Callers {
  readonly #callers = new WeakMap<IncomingMessage, Caller>();
  readonly #clientFor: ClientFor;

  constructor(clientFor: ClientFor) {
    this.#clientFor = clientFor;
  }

  admit(request: IncomingMessage, caller: Caller): void {
    this.#callers.set(request, caller);
  }

  callerOf({ raw }: Request): Caller {
    const caller = this.#callers.get(raw);
    if (!caller) throw new Error('a request reached a route without a caller');
    return caller;
  }

  clientOf(request: Request): NodeClient {
    return this.#clientFor(this.callerOf(request));
  }
}
