import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import {
  HTTP_BODIES_BYTES_MAX,
  HTTP_CHECK_MS,
  HTTP_CLOSE_MS_MAX,
  HTTP_CONNECTIONS_MAX,
  HTTP_HEADERS_MS_MAX,
  HTTP_KEEP_ALIVE_MS,
  HTTP_LARGE_BODY_BYTES_MIN,
  HTTP_REQUEST_MS_MAX,
  HTTP_UNAUTHENTICATED_CONNECTIONS_MAX,
} from '../../domain/http-limits.ts';
import { HTTP_BODY_BYTES_MAX } from '../../domain/limits.ts';
import { waitAtMost } from '../../platform/timer.ts';
import { type Admission, admitRequest, type Callers } from './admit-request.ts';
import { HTTP_ERRORS, type HttpErrorCode, httpErrorBody } from './send-answer.ts';

interface ServerParts {
  readonly admission: Admission;
  readonly unauthenticated: UnauthenticatedConnections;
  readonly callers: Callers;
  readonly tls?: { readonly key: string; readonly cert: string };
  readonly waits?: Partial<ServerWaits>;
  isStopping(): boolean;
}

/** The time limits for the arrival of a request, and the interval between checks. */
export interface ServerWaits {
  readonly headersMsMax: number;
  readonly requestMsMax: number;
  readonly checkMs: number;
}

/** On every answer: no cache stores it, no browser guesses its type. */
const ALWAYS = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' } as const;

/** The server below the routes: a request that is not admitted reaches no parser and no route, not even the 404. */
export function makeServer(parts: ServerParts, listener: RequestListener): Server {
  const { headersMsMax, requestMsMax, checkMs } = parts.waits ?? {};
  const options = {
    headersTimeout: headersMsMax ?? HTTP_HEADERS_MS_MAX,
    requestTimeout: requestMsMax ?? HTTP_REQUEST_MS_MAX,
    connectionsCheckingInterval: checkMs ?? HTTP_CHECK_MS,
    keepAliveTimeout: HTTP_KEEP_ALIVE_MS,
    handshakeTimeout: headersMsMax ?? HTTP_HEADERS_MS_MAX,
    requireHostHeader: true,
    insecureHTTPParser: false,
  };
  const admit = admitter(parts);
  const first: RequestListener = (request, response) => {
    if (admit(request, response)) listener(request, response);
  };
  // By name: an import of node:http also loads an HTTP client, which takes a fifth of the start of every command that is
  // its own node.
  const server = parts.tls
    ? process.getBuiltinModule('node:https').createServer({ ...options, ...parts.tls }, first)
    : process.getBuiltinModule('node:http').createServer(options, first);
  server.maxConnections = HTTP_CONNECTIONS_MAX;
  parts.unauthenticated.watch(server);
  server.on('checkContinue', (request, response) => {
    if (!admit(request, response)) return;
    response.writeContinue();
    listener(request, response);
  });
  server.on('checkExpectation', (request, response) => {
    if (admit(request, response)) turnAway(response, 'bad_request');
  });
  server.on('connect', (_request, socket) => endWith(socket as Socket, 'method_not_allowed'));
  server.on('clientError', (error, socket) => refuseConnection(error, socket as Socket));
  return server;
}

/** Accepts no new requests, gives running ones 3 s to finish, then closes their connections. */
export async function closeServer(server: Server, unauthenticated: UnauthenticatedConnections): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  if (!(await waitAtMost(closed, HTTP_CLOSE_MS_MAX))) {
    server.closeAllConnections();
    unauthenticated.closeAll();
  }
  await closed;
}

/** Passes a request on to the routes, or answers with the refusal. */
function admitter({ admission, unauthenticated, callers, isStopping }: ServerParts) {
  const bodies = new BodyMemory();
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    for (const [name, value] of Object.entries(ALWAYS)) response.setHeader(name, value);
    const answer = letIn(request);
    const refusal = answer ?? (bodies.reserve(request, response) ? null : 'door_busy');
    if (refusal) turnAway(response, refusal);
    return refusal === null;
  };

  function letIn(request: IncomingMessage): HttpErrorCode | null {
    const visitor = admitRequest(request, admission);
    if (typeof visitor === 'string') return visitor;
    if (isStopping()) return 'node_stopping';
    // An agent's connections stay counted: however many it opens, the operator gets in.
    if (visitor.kind === 'operator') unauthenticated.admit(request.socket);
    if (visitor.kind !== 'unauthenticated') callers.admit(request, visitor);
    return null;
  }
}

function turnAway(response: ServerResponse, code: HttpErrorCode): void {
  if (code === 'unauthenticated') response.setHeader('www-authenticate', 'Bearer');
  if (code === 'method_not_allowed') response.setHeader('allow', 'GET, POST, PATCH');
  // The rest of the request is not read.
  const body = JSON.stringify(httpErrorBody(code));
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  };
  response.writeHead(HTTP_ERRORS[code].status, headers);
  response.end(body);
}

/** Answers bytes that are no HTTP request: garbage, endless headers, headers that do not arrive. */
function refuseConnection(error: NodeJS.ErrnoException, socket: Socket): void {
  // After a TLS failure nothing can be sent.
  if (error.code === 'ECONNRESET' || !socket.writable || /^ERR_(TLS|SSL)_/.test(error.code ?? '')) {
    socket.destroy();
    return;
  }
  const codes: Readonly<Record<string, HttpErrorCode>> = {
    HPE_HEADER_OVERFLOW: 'headers_too_large',
    ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  };
  endWith(socket, codes[error.code ?? ''] ?? 'bad_request');
}

function endWith(socket: Socket, code: HttpErrorCode): void {
  const body = JSON.stringify(httpErrorBody(code));
  const head = [`HTTP/1.1 ${HTTP_ERRORS[code].status} ${code}`, 'content-type: application/json'];
  for (const [name, value] of Object.entries(ALWAYS)) head.push(`${name}: ${value}`);
  head.push(`content-length: ${Buffer.byteLength(body)}`, 'connection: close');
  socket.once('error', () => socket.destroy());
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

/**
 * Connections without a valid token so far. Past a limit the oldest is closed for each new one, so that a
 * caller with a token always gets in.
 */
export class UnauthenticatedConnections {
  readonly #waiting = new Map<string, Socket>();

  /** Counts a connection before its first byte, so under TLS too. */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => {
      const name = nameOf(socket);
      this.#waiting.set(name, socket);
      socket.once('close', () => {
        if (this.#waiting.get(name) === socket) this.#waiting.delete(name);
      });
      if (this.#waiting.size > HTTP_UNAUTHENTICATED_CONNECTIONS_MAX) this.#closeOldest();
    });
  }

  /** The caller on this connection has shown the operator's token. */
  admit(socket: Socket): void {
    this.#waiting.delete(nameOf(socket));
  }

  /** Includes connections that a TLS server does not know of yet. */
  closeAll(): void {
    for (const socket of this.#waiting.values()) socket.destroy();
  }

  #closeOldest(): void {
    const [oldest] = this.#waiting;
    if (!oldest) return;
    const [name, socket] = oldest;
    this.#waiting.delete(name);
    socket.destroy();
  }
}

/** The same for a connection and for the TLS above it. */
function nameOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/** Bodies are held in memory whole: large ones share a bounded amount, and one that does not fit is refused for now. */
class BodyMemory {
  #bytes = 0;

  /** Reserves memory for the body that a request announces; it is released with the answer. */
  reserve(request: IncomingMessage, response: ServerResponse): boolean {
    const bytes = announcedBytes(request);
    if (bytes < HTTP_LARGE_BODY_BYTES_MIN) return true;
    if (this.#bytes + bytes > HTTP_BODIES_BYTES_MAX) return false;
    this.#bytes += bytes;
    response.once('close', () => {
      this.#bytes -= bytes;
    });
    return true;
  }
}

/** A chunked body may grow to the limit. */
function announcedBytes({ headers }: IncomingMessage): number {
  if (headers['transfer-encoding'] !== undefined) return HTTP_BODY_BYTES_MAX;
  return Math.min(Number(headers['content-length'] ?? 0), HTTP_BODY_BYTES_MAX);
}
