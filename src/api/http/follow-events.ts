import type { EventView } from '../contract.ts';
import type { ErrorBody } from './door-error.ts';
import { NodeFault } from './node-fault.ts';
import { type NodeAddress, requestNode } from './request-node.ts';

export interface FollowRequest {
  /** The eventId to go on after; left out, it begins now. */
  readonly after?: number | undefined;
  /** Nothing older than this instant. */
  readonly since?: string | undefined;
  readonly task?: string | undefined;
  readonly run?: string | undefined;
  readonly session?: string | undefined;
  /** Types and beginnings of types, like task.*, with commas between. */
  readonly type?: string | undefined;
  /** The project the cursor is of. */
  readonly project?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Events as they happen, each once and in order, until the signal. A stream that breaks is a retryable NodeFault: go on
 * after the last event. One that cannot go on is a NodeFault with the code stale_cursor.
 */
export async function* followEvents(address: NodeAddress, request: FollowRequest): AsyncGenerator<EventView> {
  const { signal } = request;
  try {
    const body = await openStream(address, request);
    for await (const block of blocksOf(body)) {
      const { event, data } = fieldsOf(block);
      if (data === undefined) continue;
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

async function openStream(address: NodeAddress, { signal, ...wanted }: FollowRequest) {
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

async function* blocksOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
    rest = blocks.pop() ?? '';
    yield* blocks;
  }
}

function fieldsOf(block: string): Readonly<Record<string, string | undefined>> {
  const fields: Record<string, string> = {};
  for (const line of block.split('\n')) {
    const colon = line.indexOf(': ');
    if (colon > 0) fields[line.slice(0, colon)] = line.slice(colon + 2);
  }
  return fields;
}

function staleCursor(data: string): NodeFault {
  const { message } = JSON.parse(data) as { readonly message: string };
  return new NodeFault('follow', message, { retryable: false, code: 'stale_cursor' });
}
