import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import {
  HTTP_CHECK_MS,
  HTTP_CONNECTIONS_MAX,
  HTTP_HEADERS_MS_MAX,
  HTTP_KEEP_ALIVE_MS,
  HTTP_REQUEST_MS_MAX,
} from '../../domain/limits.ts';
import { type Admission, admitRequest } from './admit-request.ts';
import type { Callers } from './callers.ts';
import { BodyMemory, type Strangers } from './connection-limits.ts';
import { DOOR_ERRORS, type DoorErrorCode, doorErrorBody } from './send-answer.ts';

export interface ServerParts {
  readonly admission: Admission;
  readonly strangers: Strangers;
  readonly callers: Callers;
  readonly tls?: { readonly key: string; readonly cert: string };
  readonly waits?: Partial<ServerWaits>;
  isStopping(): boolean;
}

/** How long a request may take to arrive, and how often that is checked. */
export interface ServerWaits {
  readonly headersMsMax: number;
  readonly requestMsMax: number;
  readonly checkMs: number;
}

/** On every answer: no cache stores it, no browser guesses its type. */
const ALWAYS = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' } as const;

/** The server below the routes: a request that is not admitted reaches no route, no parser and no 404 of ours. */
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
  parts.strangers.watch(server);
  server.on('checkContinue', (request, response) => {
    if (!admit(request, response)) return;
    response.writeContinue();
    listener(request, response);
  });
  server.on('checkExpectation', (request, response) => {
    if (admit(request, response)) turnAway(response, 'bad_request');
  });
  server.on('connect', (_request, socket) => endWith(socket as Socket, 'method_not_allowed'));
  return server;
}

/** Whether a request may go on to the routes; one that may not is answered here. */
function admitter({ admission, strangers, callers, isStopping }: ServerParts) {
  const bodies = new BodyMemory();
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    for (const [name, value] of Object.entries(ALWAYS)) response.setHeader(name, value);
    const answer = letIn(request);
    const refusal = answer ?? (bodies.reserve(request, response) ? null : 'door_busy');
    if (refusal) turnAway(response, refusal);
    return refusal === null;
  };

  function letIn(request: IncomingMessage): DoorErrorCode | null {
    const visitor = admitRequest(request, admission);
    if (typeof visitor === 'string') return visitor;
    if (isStopping()) return 'node_stopping';
    // An agent's connections stay counted: however many it opens, the operator gets in.
    if (visitor.kind === 'operator') strangers.admit(request.socket);
    if (visitor.kind !== 'nobody') callers.admit(request, visitor);
    return null;
  }
}

function turnAway(response: ServerResponse, code: DoorErrorCode): void {
  if (code === 'unauthenticated') response.setHeader('www-authenticate', 'Bearer');
  if (code === 'method_not_allowed') response.setHeader('allow', 'GET, POST, PATCH');
  // The rest of the request is not read.
  const body = JSON.stringify(doorErrorBody(code));
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  };
  response.writeHead(DOOR_ERRORS[code].status, headers);
  response.end(body);
}

/** Answers what never became a request: garbage, headers without an end, headers that do not arrive. */
export function refuseConnection(error: NodeJS.ErrnoException, socket: Socket): void {
  // Where TLS failed nothing can be sent.
  if (error.code === 'ECONNRESET' || !socket.writable || /^ERR_(TLS|SSL)_/.test(error.code ?? '')) {
    socket.destroy();
    return;
  }
  const codes: Readonly<Record<string, DoorErrorCode>> = {
    HPE_HEADER_OVERFLOW: 'headers_too_large',
    ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  };
  endWith(socket, codes[error.code ?? ''] ?? 'bad_request');
}

function endWith(socket: Socket, code: DoorErrorCode): void {
  const body = JSON.stringify(doorErrorBody(code));
  const head = [`HTTP/1.1 ${DOOR_ERRORS[code].status} ${code}`, 'content-type: application/json'];
  for (const [name, value] of Object.entries(ALWAYS)) head.push(`${name}: ${value}`);
  head.push(`content-length: ${Buffer.byteLength(body)}`, 'connection: close');
  socket.once('error', () => socket.destroy());
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
