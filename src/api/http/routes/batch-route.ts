import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { BATCH_LINES_MAX, BATCH_PIECE_CHARACTERS } from '../../../domain/http-limits.ts';
import { isRefusal, refuse } from '../../../domain/refusal.ts';
import { readBatchLine, type UnreadableLine } from '../../batch-line.ts';
import { CALLS } from '../../calls.ts';
import type { BatchLine } from '../../contract.ts';
import { keyOfLine } from '../../idempotency-key.ts';
import type { NodeClient } from '../../node-client.ts';
import type { Callers } from '../admit-request.ts';
import { bodyText, contentType, readChannel } from '../read-http-request.ts';
import { sendRefusal, sendWrongType } from '../send-answer.ts';

const NDJSON = 'application/x-ndjson';

/** Many calls in one request. An invalid line gets an error; the other lines are still executed. */
export function addBatchRoute(app: FastifyInstance, callers: Callers): void {
  app.post(CALLS.batch.path, async (request, reply) => {
    if (contentType(request.headers) !== NDJSON) return sendWrongType(reply, NDJSON);
    const channel = readChannel(request.headers);
    if (isRefusal(channel)) return sendRefusal(reply, channel);
    const text = bodyText(request.body);
    if (text === null) return sendRefusal(reply, refuse('invalid_json', 'the body is not valid UTF-8'));
    const lines = text.split('\n').filter((line) => line !== '' && line !== '\r');
    if (lines.length > BATCH_LINES_MAX) {
      const message = `a batch has at most ${BATCH_LINES_MAX} lines, not ${lines.length}`;
      return sendRefusal(reply, refuse('payload_too_large', message));
    }
    const calls = lines.map((line, at) =>
      readBatchLine(line, channel.key === undefined ? {} : { key: keyOfLine(channel.key, at + 1) }),
    );
    const answers = answerLines(callers.clientOf(request), calls);
    return reply.type(NDJSON).send(Readable.from(answers));
  });
}

/** When the caller goes away the generator is closed: lines that were not begun are not made. */
async function* answerLines(
  client: NodeClient,
  lines: readonly (BatchLine | UnreadableLine)[],
): AsyncGenerator<Buffer> {
  for await (const group of client.batch(lines as readonly BatchLine[])) {
    let text = '';
    for (const answer of group) {
      text += `${JSON.stringify(answer)}\n`;
      if (text.length < BATCH_PIECE_CHARACTERS) continue;
      yield Buffer.from(text);
      text = '';
    }
    if (text !== '') yield Buffer.from(text);
  }
}
