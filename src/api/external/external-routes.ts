import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type * as z from 'zod';
import { EXTERNAL_BODY_BYTES_MAX, TOKEN_BODY_BYTES_MAX } from '../../domain/external/external-limits.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import { normalUrl } from '../../domain/words/normal-url.ts';
import type { AuthenticatedRequest, ProvedRequest } from '../../external/external-access.ts';
import type { ExternalService } from '../../external/external-service.ts';
import { invokeOperation } from '../../external/invoke-operation.ts';
import { externalFilter } from '../../external/open-streams.ts';
import { readJson } from '../../protocols/json-text.ts';
import { findStart } from '../events/stream-start.ts';
import { bodyText, contentType, readChannel } from '../http/read-http-request.ts';
import { lastEventId, type StreamParts } from '../http/routes/event-route.ts';
import { streamEvents } from '../http/sse/event-reader.ts';
import type { Exact } from '../node-client.ts';
import { readFields } from '../read-fields.ts';
import { PROVED_CALLS } from './external-call-table.ts';
import { EXTERNAL_SCHEMAS } from './external-schemas.ts';
import { sendProofRefusal } from './send-proof-refusal.ts';

export interface ExternalRouteParts extends StreamParts {
  /** Loaded with the first request: most nodes have no external agents. */
  external(): Promise<ExternalService>;
}

type RouteName = keyof typeof PROVED_CALLS;
type AnyProvedRequest = ProvedRequest | AuthenticatedRequest;

interface Exchange<Given extends AnyProvedRequest> {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly service: ExternalService;
  readonly proved: Given;
}

type Handler<Given extends AnyProvedRequest> = (exchange: Exchange<Given>) => Promise<FastifyReply>;

/** The routes of external agents. No body is read before the proof of its request is verified. */
export function addExternalRoutes(app: FastifyInstance, parts: ExternalRouteParts): void {
  const all = new WeakMap<IncomingMessage, AnyProvedRequest>();
  const add = <Given extends AnyProvedRequest>(name: RouteName, bodyLimit: number, handle: Handler<Given>) => {
    const { path: url, method, who } = PROVED_CALLS[name];
    const onRequest = async (request: FastifyRequest, reply: FastifyReply) => {
      const { access } = await parts.external();
      reply.header('dpop-nonce', access.nonce());
      if (Number(request.headers['content-length'] ?? 0) > bodyLimit)
        return sendProofRefusal(reply, tooLarge(bodyLimit));
      const proving = provingOf(request, operationOf(name));
      const proved = who === 'anybody' ? await access.prove(proving) : await access.authenticate(proving);
      if (isRefusal(proved)) return sendProofRefusal(reply, proved);
      all.set(request.raw, proved);
      return undefined;
    };
    const handler = async (request: FastifyRequest, reply: FastifyReply) =>
      await handle({ request, reply, service: await parts.external(), proved: all.get(request.raw) as Given });
    app.route({ method, url, bodyLimit, onRequest, handler });
  };
  add<ProvedRequest>('exchangeInvite', TOKEN_BODY_BYTES_MAX, exchangeRoute);
  add<ProvedRequest>('refreshTokens', TOKEN_BODY_BYTES_MAX, refreshRoute);
  add<AuthenticatedRequest>('issueContext', TOKEN_BODY_BYTES_MAX, contextRoute);
  add<AuthenticatedRequest>('invoke', EXTERNAL_BODY_BYTES_MAX, (exchange) => invokeRoute(exchange, parts));
  add<AuthenticatedRequest>('followExternal', TOKEN_BODY_BYTES_MAX, (exchange) => eventsRoute(exchange, parts));
}

/** The name under which the audit has a call before anything else is known of it. */
function operationOf(name: RouteName): string {
  const names = { exchangeInvite: 'exchange', refreshTokens: 'refresh', issueContext: 'context', invoke: 'invoke' };
  return { ...names, followExternal: 'events.follow' }[name];
}

/** The address is the one that the client used: its Host was compared with the names of this node, and no other header counts. */
function provingOf({ raw, headers, method }: FastifyRequest, operation: string) {
  const scheme = (raw.socket as Partial<TLSSocket>).encrypted ? 'https' : 'http';
  const url = normalUrl(`${scheme}://${headers.host}${raw.url}`) ?? '';
  const { authorization, dpop } = headers;
  const address = raw.socket.remoteAddress ?? '';
  return { method, url, authorization, dpop: typeof dpop === 'string' ? dpop : undefined, address, operation };
}

function tooLarge(bytesMax: number): Refusal {
  return refuse('payload_too_large', `the body has at most ${bytesMax} bytes here`);
}

function send(reply: FastifyReply, answer: object, status: number): FastifyReply {
  return isRefusal(answer) ? sendProofRefusal(reply, answer) : reply.code(status).send(answer);
}

/** The body of a request, if it is the one that its proof was made for. */
async function readProvedBody<Schema extends z.ZodType<object>>(
  { request, service: { access }, proved }: Exchange<AnyProvedRequest>,
  schema: Schema,
  operation: string,
): Promise<Exact<z.infer<Schema>> | Refusal> {
  const bytes = request.body instanceof Buffer ? request.body : Buffer.alloc(0);
  const who = proved.kind === 'authenticated' ? { actor: proved.caller.agent, sessionId: proved.caller.sessionId } : {};
  const wrong = await access.refuseBody(proved, bytes, { operation, ...who });
  if (wrong) return wrong;
  const fields = fieldsOf(request, schema);
  if (!isRefusal(fields)) return fields as Exact<z.infer<Schema>>;
  return await access.refuse({ operation, address: proved.address, thumbprint: proved.use.thumbprint, ...who }, fields);
}

function fieldsOf(request: FastifyRequest, schema: z.ZodType<object>): object | Refusal {
  if (contentType(request.headers) !== 'application/json')
    return refuse('invalid_json', 'the body is application/json');
  const reading = readJson(bodyText(request.body) ?? '');
  return reading.kind === 'broken' ? refuse('invalid_json', 'the body is no JSON') : readFields(reading.value, schema);
}

const exchangeRoute: Handler<ProvedRequest> = async (exchange) => {
  const given = await readProvedBody(exchange, EXTERNAL_SCHEMAS.ExchangeRequest, 'exchange');
  const { service, proved, reply } = exchange;
  return send(reply, isRefusal(given) ? given : await service.tokens.exchange(proved, given), 201);
};

const refreshRoute: Handler<ProvedRequest> = async (exchange) => {
  const given = await readProvedBody(exchange, EXTERNAL_SCHEMAS.RefreshRequest, 'refresh');
  const { service, proved, reply } = exchange;
  return send(reply, isRefusal(given) ? given : await service.tokens.refresh(proved, given), 201);
};

const contextRoute: Handler<AuthenticatedRequest> = async (exchange) => {
  const given = await readProvedBody(exchange, EXTERNAL_SCHEMAS.ContextRequest, 'context');
  const { service, proved, reply } = exchange;
  return send(reply, isRefusal(given) ? given : await service.tokens.context(proved, given), 201);
};

async function invokeRoute(
  exchange: Exchange<AuthenticatedRequest>,
  { callers }: ExternalRouteParts,
): Promise<FastifyReply> {
  const { request, reply, service, proved } = exchange;
  const given = await readProvedBody(exchange, EXTERNAL_SCHEMAS.InvokeRequest, 'invoke');
  if (isRefusal(given)) return sendProofRefusal(reply, given);
  const channel = readChannel(request.headers);
  if (isRefusal(channel)) return sendProofRefusal(reply, channel);
  callers.admit(request.raw, { kind: 'external', external: proved.caller });
  const { access, ledger } = service;
  const parts = { access, read: ledger.read, client: callers.clientOf(request) };
  return send(reply, await invokeOperation(parts, proved, { ...given, key: channel.key ?? null }), 200);
}

async function eventsRoute(exchange: Exchange<AuthenticatedRequest>, parts: ExternalRouteParts): Promise<FastifyReply> {
  const { request, reply, service, proved } = exchange;
  const { access, ledger, streams, clock } = service;
  const { caller, expiresAtMs } = proved;
  const after = lastEventId(request);
  const start = isRefusal(after) ? after : findStart(ledger.read, after === null ? {} : { after });
  const full = streams.isFull(caller.sessionId)
    ? refuse('rate_limited', 'this agent follows the events already')
    : null;
  const refusal = full ?? (isRefusal(start) ? start : null);
  const asked = {
    operation: 'events.follow',
    scope: 'task.read',
    task: null,
    corrId: null,
    key: null,
    refusal,
  } as const;
  const admitted = await access.admit(proved, { ...asked, isCorrelationGiven: false });
  if (isRefusal(admitted)) return sendProofRefusal(reply, admitted);
  if (isRefusal(start)) throw new Error('a stream was admitted without a start');
  await access.end(admitted, 'done');
  const response = reply.hijack().raw;
  response.setHeader('dpop-nonce', access.nonce());
  const filter = externalFilter(ledger.read, caller);
  streamEvents(response, start.kind === 'found' ? { ...start, filter } : start, parts);
  streams.add(response, caller.sessionId, expiresAtMs - clock.now().wallMs);
  return reply;
}
