import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { HTTP_MESSAGES_PER_BODY_MAX } from '../../../domain/http-limits.ts';
import { isRefusal, type Refusal, refuse } from '../../../domain/refusal.ts';
import { AOF_PREFIX } from '../../../protocols/detect.ts';
import { CALLS } from '../../calls.ts';
import { keyOfLine } from '../../idempotency-key.ts';
import type { NodeClient } from '../../node-client.ts';
import type { Callers } from '../admit-request.ts';
import { bodyText, type ChannelHeaders, contentType, readBodyQuery, readChannel } from '../read-http-request.ts';
import { answerStatus, sendRefusal, sendWrongType, unreadableAnswer } from '../send-answer.ts';
import { waitForTree } from './call-routes.ts';

/** Messages of any protocol; each is answered as `baton send` prints it. */
export function addMessageRoute(app: FastifyInstance, callers: Callers): void {
  app.post(CALLS.send.path, async (request, reply) => {
    const type = contentType(request.headers);
    const text = bodyText(request.body);
    const channel = readCall(request);
    if (isRefusal(channel)) return sendRefusal(reply, channel);
    const client = callers.clientOf(request);
    if (type === 'application/x-ndjson') return sendLines(reply, text, { client, channel });
    // Any web page may send text/plain: only a body that says it is AOF is accepted as such.
    if (type !== 'application/json' && !(type === 'text/plain' && text?.startsWith(AOF_PREFIX))) {
      return sendWrongType(reply, 'application/json, application/x-ndjson, or text/plain that begins with AOF/1');
    }
    const { run, ...options } = channel;
    const answer = text === null ? unreadableAnswer() : await client.send({ text, run }, options);
    if (answer.verdict === 'accepted') await waitForTree({ request, reply }, client, answer.task?.id ?? null);
    return reply.code(answerStatus(answer)).send(answer);
  });
}

function readCall(request: FastifyRequest): ChannelHeaders | Refusal {
  const query = readBodyQuery(request.query);
  return isRefusal(query) ? query : readChannel(request.headers);
}

interface Sender {
  readonly client: NodeClient;
  readonly channel: ChannelHeaders;
}

function sendLines(reply: FastifyReply, text: string | null, sender: Sender): FastifyReply {
  if (text === null) return reply.code(422).send(unreadableAnswer());
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length > HTTP_MESSAGES_PER_BODY_MAX) {
    const message = `a body holds at most ${HTTP_MESSAGES_PER_BODY_MAX} messages, not ${lines.length}`;
    return sendRefusal(reply, refuse('payload_too_large', message));
  }
  return reply.type('application/x-ndjson').send(Readable.from(answerLines(lines, sender)));
}

/** Each line is answered before the next is read: a line may depend on the effect of the one before it. */
async function* answerLines(lines: readonly string[], { client, channel }: Sender): AsyncGenerator<string> {
  const { key, run } = channel;
  for (const [at, line] of lines.entries()) {
    const text = line.endsWith('\r') ? line.slice(0, -1) : line;
    const answer = await client.send({ text, run }, key === undefined ? {} : { key: keyOfLine(key, at + 1) });
    yield `${JSON.stringify(answer)}\n`;
  }
}
