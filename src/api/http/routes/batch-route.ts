import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { BATCH_LINES_MAX } from '../../../domain/limits.ts';
import { isRefusal, refuse } from '../../../domain/refusal.ts';
import { isJsonObject, readJson } from '../../../protocols/json-text.ts';
import { CALLS } from '../../calls.ts';
import type { BatchLine } from '../../contract.ts';
import type { NodeClient } from '../../node-client.ts';
import type { Callers } from '../admit-request.ts';
import { bodyText, contentType, readChannel } from '../read-request.ts';
import { sendDoorError, sendRefusal } from '../send-answer.ts';

/** Many calls in one request. A line that is wrong has an error of its own, and the others are made. */
export function addBatchRoute(app: FastifyInstance, callers: Callers): void {
  app.post(CALLS.batch.path, async (request, reply) => {
    if (contentType(request.headers) !== 'application/x-ndjson')
      return sendDoorError(reply, 'unsupported_content_type');
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
      readLine(line, channel.key === undefined ? {} : { key: `${channel.key}:${at + 1}` }),
    );
    const answers = answerLines(callers.clientOf(request), calls);
    return reply.type('application/x-ndjson').send(Readable.from(answers));
  });
}

/** A line that is not JSON goes on as its text: the batch answers it with an error in its place. */
function readLine(line: string, own: { readonly key?: string }): BatchLine {
  const { kind, value } = readJson(line);
  if (kind === 'broken' || !isJsonObject(value)) return line as unknown as BatchLine;
  return { ...own, ...(value as unknown as BatchLine) };
}

/** When the caller goes away the generator is closed: lines that were not begun are not made. */
async function* answerLines(client: NodeClient, lines: readonly BatchLine[]): AsyncGenerator<string> {
  for await (const group of client.batch(lines)) {
    let text = '';
    for (const answer of group) text += `${JSON.stringify(answer)}\n`;
    yield text;
  }
}
