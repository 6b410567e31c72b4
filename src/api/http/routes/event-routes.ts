import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { SSE_READERS_MAX, SSE_RETRY_MS } from '../../../domain/limits.ts';
import { isRefusal, type Refusal, refuse } from '../../../domain/refusal.ts';
import type { EventsRequest } from '../../contract.ts';
import type { Door } from '../door.ts';
import { readFields } from '../read-request.ts';
import { EVENTS_QUERY, type EventsQuery } from '../request-kinds.ts';
import { sendAnswer, sendRefusal } from '../send-answer.ts';
import { frameStaleCursor } from '../sse/event-frame.ts';
import { EventReader } from '../sse/event-reader.ts';
import { findPlace, type Place } from '../sse/find-place.ts';

/** The log: as a stream that goes on, or, for who accepts JSON only, one page of it. */
export function addEventRoutes(app: FastifyInstance, door: Door): void {
  app.get('/v1/events', async (request, reply) => {
    const query = readFields(request.query, EVENTS_QUERY);
    if (isRefusal(query)) return sendRefusal(reply, query);
    if (wantsPage(request)) return await sendPage(reply, query, door);
    const place = findPlace(door.ledger.read, query, request.headers['last-event-id']);
    if (isRefusal(place)) return sendRefusal(reply, place);
    const refusal = refuseReader(door, query);
    if (refusal) return sendRefusal(reply, refusal);
    return stream(reply, place, door);
  });
}

function wantsPage(request: FastifyRequest): boolean {
  const accept = request.headers.accept ?? '';
  return accept.includes('application/json') && !accept.includes('text/event-stream');
}

async function sendPage(reply: FastifyReply, query: EventsQuery, { client }: Door): Promise<FastifyReply> {
  const { after = '0', limit, project, ...filter } = query;
  if (project) return sendRefusal(reply, refuse('invalid_argument', 'project is for the stream only', '/project'));
  const asked = { after: Number(after), ...(limit && { limit: Number(limit) }), ...filter };
  const answer = await client.events(asked as EventsRequest);
  return sendAnswer(reply, isRefusal(answer) ? answer : { events: answer });
}

function refuseReader({ feed }: Door, { limit }: EventsQuery): Refusal | null {
  if (limit !== undefined) return refuse('invalid_argument', 'limit is for a page: Accept: application/json', '/limit');
  if (feed.readers < SSE_READERS_MAX) return null;
  return refuse('rate_limited', `${SSE_READERS_MAX} readers follow the events already`);
}

function stream(reply: FastifyReply, place: Place, { feed, timer, onFault }: Door): FastifyReply {
  const { raw: response } = reply.hijack();
  response.setHeader('content-type', 'text/event-stream; charset=utf-8');
  response.setHeader('connection', 'close');
  // The stream ends with its connection: without chunks each write is one write of the socket.
  response.removeHeader('transfer-encoding');
  if (place.kind === 'stale') {
    response.end(frameStaleCursor(place));
    return reply;
  }
  response.write(`retry: ${SSE_RETRY_MS}\n: after ${place.after}\n\n`);
  new EventReader({ response, feed, timer, onFault, ...place }).start();
  return reply;
}
