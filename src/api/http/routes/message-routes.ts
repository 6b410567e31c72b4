import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { HTTP_MESSAGES_PER_BODY_MAX } from '../../../domain/limits.ts';
import { isRefusal, type Refusal, refuse } from '../../../domain/refusal.ts';
import { AOF_PREFIX } from '../../../protocols/detect.ts';
import type { NodeClient, SendOptions } from '../../contract.ts';
import { waitForTree } from '../change-route.ts';
import type { Door } from '../door.ts';
import { answerStatus, unreadableAnswer } from '../message-answer.ts';
import { bodyText, type ChannelHeaders, contentType, readChannel, readFields } from '../read-request.ts';
import { CHANGE_QUERY } from '../request-kinds.ts';
import { sendDoorError, sendRefusal } from '../send-answer.ts';

/** Messages of any protocol, answered as `baton send` prints it. */
export function addMessageRoutes(app: FastifyInstance, { client, visitors }: Door): void {
  app.post('/v1/messages', async (request, reply) => {
    const type = contentType(request.headers);
    const text = bodyText(request.body);
    const read = readCall(request);
    if (isRefusal(read)) return sendRefusal(reply, read);
    // What an agent says by the token of its run, it says for that run and of its task.
    const channel = { ...read, holder: visitors.holderOf(request.raw) };
    if (type === 'application/x-ndjson') return sendLines(reply, text, { client, channel });
    // Any page may send text/plain: only what says that it is AOF is taken.
    if (type !== 'application/json' && !(type === 'text/plain' && text?.startsWith(AOF_PREFIX))) {
      return sendDoorError(reply, 'unsupported_content_type');
    }
    const answer = text === null ? unreadableAnswer() : await client.send(text, channel);
    if (answer.verdict === 'accepted') await waitForTree({ request, reply }, client, answer.task?.id ?? null);
    return reply.code(answerStatus(answer)).send(answer);
  });
}

function readCall(request: FastifyRequest): ChannelHeaders | Refusal {
  const query = readFields(request.query, CHANGE_QUERY);
  return isRefusal(query) ? query : readChannel(request.headers);
}

interface Sender {
  readonly client: NodeClient;
  readonly channel: SendOptions;
}

/** One answer a line, each given before the next is read: a line may speak of what the one before it did. */
function sendLines(reply: FastifyReply, text: string | null, sender: Sender): FastifyReply {
  if (text === null) return reply.code(422).send(unreadableAnswer());
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length > HTTP_MESSAGES_PER_BODY_MAX) {
    const message = `a body holds at most ${HTTP_MESSAGES_PER_BODY_MAX} messages, not ${lines.length}`;
    return sendRefusal(reply, refuse('payload_too_large', message));
  }
  return reply.type('application/x-ndjson').send(Readable.from(answerLines(lines, sender)));
}

async function* answerLines(lines: readonly string[], { client, channel }: Sender): AsyncGenerator<string> {
  for (const [at, line] of lines.entries()) {
    const { key, ...sender } = channel;
    const own = key === undefined ? {} : { key: `${key}:${at + 1}` };
    yield `${JSON.stringify(await client.send(line.endsWith('\r') ? line.slice(0, -1) : line, { ...sender, ...own }))}\n`;
  }
}
