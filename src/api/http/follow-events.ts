import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { EventView } from '../contract.ts';
import { NodeFault } from '../node-fault.ts';
import type { FollowRequest } from '../requests.ts';
import { type NodeAddress, requestNode } from './call-node.ts';
import type { ErrorBody } from './send-answer.ts';

/**
 * Events as they happen, each once and in order, until the signal. A broken stream throws a retryable NodeFault: follow
 * again after the last event. A cursor that is not of this log throws a NodeFault with the code stale_cursor.
 */
export async function* followEvents(
  address: NodeAddress,
  request: FollowRequest,
  signal?: AbortSignal,
): AsyncGenerator<EventView> {
  try {
    const body = await openStream(address, request, signal);
    for await (const { event, data } of messagesOf(body)) {
      if (event === 'stale_cursor') throw staleCursor(data);
      yield JSON.parse(data) as EventView;
    }
    throw new NodeFault('follow', 'the node ended the stream', { retryable: true });
  } catch (error) {
    if (signal?.aborted) return;
    if (error instanceof NodeFault) throw error;
    throw new NodeFault('follow', `the stream of ${address.url} broke`, { retryable: true, cause: error });
  }
}

async function openStream(address: NodeAddress, wanted: FollowRequest, signal?: AbortSignal) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(wanted)) if (value !== undefined) query.set(name, String(value));
  const headers = { accept: 'text/event-stream' };
  const response = await requestNode(address, { method: 'GET', path: `/v1/events?${query}`, headers, signal });
  if (response.statusCode === 200) return response;
  let answer = '';
  for await (const part of response.setEncoding('utf8')) answer += part;
  const { code, message, retryable } = (JSON.parse(answer) as ErrorBody).error;
  throw new NodeFault('follow', `${message} (${response.statusCode} ${code})`, { retryable, code });
}

/** The events of a response as they come. */
export async function* messagesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<EventSourceMessage> {
  const messages: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => messages.push(message) });
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* messages.splice(0);
  }
}

function staleCursor(data: string): NodeFault {
  const { message } = JSON.parse(data) as { readonly message: string };
  return new NodeFault('follow', message, { retryable: false, code: 'stale_cursor' });
}
