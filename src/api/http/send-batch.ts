import { BATCH_LINES_MAX } from '../../domain/http-limits.ts';
import { HTTP_BODY_BYTES_MAX } from '../../domain/limits.ts';
import { CALLS } from '../calls.ts';
import type { BatchAnswer, BatchLine } from '../contract.ts';
import { NodeFault } from '../node-fault.ts';
import { type NodeAddress, requestNode } from './call-node.ts';
import type { ErrorBody } from './send-answer.ts';

/** Bodies stay well below what a node accepts. */
const BODY_BYTES = HTTP_BODY_BYTES_MAX / 4;

/** Sends lines in as few requests as their number and size allow, one after the other. */
export async function* sendBatch(
  address: NodeAddress,
  lines: Iterable<BatchLine> | AsyncIterable<BatchLine>,
): AsyncGenerator<readonly BatchAnswer[]> {
  let body = '';
  let count = 0;
  for await (const line of lines) {
    body += `${JSON.stringify(line)}\n`;
    if (++count < BATCH_LINES_MAX && body.length < BODY_BYTES) continue;
    yield* exchange(address, body, count);
    body = '';
    count = 0;
  }
  if (count > 0) yield* exchange(address, body, count);
}

async function* exchange(address: NodeAddress, body: string, count: number): AsyncGenerator<readonly BatchAnswer[]> {
  const { method, path } = CALLS.batch;
  const headers = { 'content-type': 'application/x-ndjson', 'content-length': Buffer.byteLength(body) };
  let answered = 0;
  try {
    const response = await requestNode(address, { method, path, headers, body });
    let rest = '';
    for await (const part of response.setEncoding('utf8')) {
      const lines = `${rest}${part}`.split('\n');
      rest = lines.pop() ?? '';
      if (response.statusCode !== 200 || lines.length === 0) continue;
      answered += lines.length;
      yield lines.map((line) => JSON.parse(line) as BatchAnswer);
    }
    if (response.statusCode !== 200) throw refusalOf(rest);
  } catch (error) {
    if (error instanceof NodeFault) throw error;
    throw new NodeFault('batch', `the node at ${address.url} went away after ${answered} of ${count} answers`, {
      retryable: true,
      cause: error,
    });
  }
}

function refusalOf(text: string): NodeFault {
  const { code, message, retryable } = (JSON.parse(text) as ErrorBody).error;
  return new NodeFault('batch', `${message} (${code})`, { retryable, code });
}
