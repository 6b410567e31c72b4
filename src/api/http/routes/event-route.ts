import type { FastifyInstance, FastifyRequest } from 'fastify';
import { SSE_READERS_MAX } from '../../../domain/http-limits.ts';
import { isRefusal, type Refusal, refuse } from '../../../domain/refusal.ts';
import type { Timer } from '../../../platform/timer.ts';
import { CALLS } from '../../calls.ts';
import { FollowedEvents } from '../../events/follow-ledger.ts';
import type { Callers } from '../admit-request.ts';
import { callReader } from '../read-http-request.ts';
import { sendAnswer, sendRefusal } from '../send-answer.ts';
import type { EventFeed } from '../sse/event-feed.ts';
import { streamEvents } from '../sse/event-reader.ts';
import { refuseEarly } from './call-routes.ts';

export interface StreamParts {
  readonly callers: Callers;
  readonly feed: EventFeed;
  readonly timer: Timer;
  onFault(error: unknown): void;
}

/** The log as a stream, or, for a caller that accepts JSON only, one page of it. */
export function addEventRoute(app: FastifyInstance, parts: StreamParts): void {
  const readPage = callReader('listEvents');
  const readFollow = callReader('follow');
  app.get(CALLS.follow.path, { onRequest: refuseEarly(parts.callers, 'follow') }, async (request, reply) => {
    const client = parts.callers.clientOf(request);
    if (wantsPage(request)) {
      const call = readPage(request);
      return sendAnswer(reply, isRefusal(call) ? call : await client.listEvents(call.request));
    }
    const call = readFollow(request);
    if (isRefusal(call)) return sendRefusal(reply, call);
    const after = lastEventId(request);
    if (isRefusal(after)) return sendRefusal(reply, after);
    if (parts.feed.readers >= SSE_READERS_MAX) {
      return sendRefusal(reply, refuse('rate_limited', `${SSE_READERS_MAX} readers follow the events already`));
    }
    const followed = await client.follow(after === null ? call.request : { ...call.request, after });
    if (isRefusal(followed)) return sendRefusal(reply, followed);
    if (!(followed instanceof FollowedEvents)) throw new Error('a server streams the events of its own process only');
    streamEvents(reply.hijack().raw, followed.start, parts);
    return reply;
  });
}

function wantsPage(request: FastifyRequest): boolean {
  const accept = request.headers.accept ?? '';
  return accept.includes('application/json') && !accept.includes('text/event-stream');
}

/** A browser that reconnects repeats its old address: the header has the last event it got. */
export function lastEventId({ headers }: FastifyRequest): number | Refusal | null {
  const cursor = headers['last-event-id'];
  if (typeof cursor !== 'string' || cursor === '') return null;
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor);
  return refuse('invalid_argument', 'Last-Event-ID is the id of an event, a whole number');
}
