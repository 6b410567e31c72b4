import type { SendAnswer } from '../../api/contract.ts';
import { keyOfLine } from '../../api/idempotency-key.ts';
import { unreadableMessage } from '../../api/message-answer.ts';
import type { NodeClient } from '../../api/node-client.ts';
import type { CallOptions } from '../../api/task/task-view.ts';
import { viewReceived } from '../../api/task/views.ts';
import { loadAgentEndpoint, loadRun } from '../../config/load.ts';
import { FOREIGN, malformedAnswer } from '../../messages/received.ts';
import { isWithoutLedger } from '../../platform/files/data-folder.ts';
import { readMessage } from '../../protocols/read-message.ts';
import { dataFolderOf } from '../call-folder.ts';
import { callOptions } from '../call-parts.ts';
import { type Call, type CliCommand, type CommandText, flagText, UsageError } from '../command.ts';
import { type NodeAnswer, nodeCommand } from '../node/node-command.ts';
import { type MessageText, readMessageTexts } from '../read-input.ts';
import { sendText } from './send-text.ts';

type SendOptions = CallOptions & { readonly run: string | null };

const TEXT: CommandText = {
  usage: 'baton send [FILE | -] [--run RUN] [--lines] [--json]',
  about: [
    'Delivers messages of an agent, of any protocol, and prints what they changed.',
    [
      'A .ndjson or .jsonl file, or a text whose lines all start with "AOF/1 ", holds one message a line.',
      'Exit 0 if every message was accepted, 2 otherwise.',
    ].join(' '),
  ].join('\n'),
  examples: ['baton send report.json', "echo 'AOF/1 {…}' | baton send -", 'baton send messages.ndjson --json'],
  flags: {
    run: { takes: 'value', shows: 'RUN', help: 'refuse unless this run still holds the task (also: BATON_RUN)' },
    lines: { takes: 'nothing', help: 'one message a line, whatever the file name' },
  },
};

export const sendCommand: CliCommand = {
  ...TEXT,
  run: async (call) => {
    const options = { ...callOptions(call), run: loadRun(flagText(call, 'run')) };
    const texts = await readMessageTexts(fileOf(call), Boolean(call.flags.lines));
    const refused = await answerBeforeStoring(call, texts);
    if (refused) return { values: [refused], human: sendText, exitCode: () => 2 };
    const asked = async (client: NodeClient) => await sendAll(client, texts, options);
    return await nodeCommand({ ...TEXT, creates: true, plan: () => asked }).run(call);
  },
};

/**
 * The answer to a first message that leaves nothing in the ledger, so that it does not create one; null for any other. A
 * message that is to be AOF and is not is an event (aof:detection), so it is stored.
 */
async function answerBeforeStoring(call: Call, texts: Texts): Promise<SendAnswer | null> {
  const [only] = Array.isArray(texts) && texts.length === 1 ? (texts as readonly MessageText[]) : [];
  const isAgents = loadAgentEndpoint(flagText(call, 'data')) !== null;
  if (!only?.text || isAgents || !isWithoutLedger(dataFolderOf(call))) return null;
  const { protocol, verdict } = await readMessage(only.text);
  if (verdict.verdict === 'foreign') return viewReceived(FOREIGN);
  if (verdict.verdict === 'accepted' || (protocol ?? 'aof') === 'aof') return null;
  return viewReceived(malformedAnswer(verdict));
}

function fileOf(call: Call): string {
  const [file, tooMany] = call.words;
  if (tooMany !== undefined) throw new UsageError(`send: more than one file: ${tooMany}`, 'baton send FILE');
  if (file !== undefined) return file;
  if (process.stdin.isTTY) throw new UsageError('send: no file given', 'baton send FILE, or baton send - < FILE');
  return '-';
}

type Texts = Iterable<MessageText> | AsyncIterable<MessageText>;

/** A single message is answered once the tree shows its effect; each of many as soon as it is stored. */
async function sendAll(client: NodeClient, texts: Texts, options: SendOptions): Promise<NodeAnswer<SendAnswer>> {
  let isRefused = false;
  async function* values(): AsyncGenerator<SendAnswer> {
    for await (const text of texts) {
      const answer = await sendOne(client, text, options);
      isRefused ||= answer.verdict !== 'accepted';
      yield answer;
    }
  }
  const answer = { values: values(), human: sendText, exitCode: () => (isRefused ? 2 : 0) };
  if (!Array.isArray(texts) || texts.length !== 1) return answer;
  const only = await Array.fromAsync(values());
  return { ...answer, values: only, touched: only.flatMap(({ task }) => (task ? [task.id] : [])) };
}

async function sendOne(client: NodeClient, { line, text }: MessageText, options: SendOptions): Promise<SendAnswer> {
  if (text === null) return NO_TEXT;
  const { key, run } = options;
  // Each line is a message of its own, so each has a key of its own.
  if (key === undefined) return await client.send({ text, run }, {});
  return await client.send({ text, run }, { key: line === null ? key : keyOfLine(key, line) });
}

const NO_TEXT = unreadableMessage({
  code: 'invalid_json',
  errors: [{ path: '', message: 'the message is not readable: it is not valid UTF-8' }],
  hint: 'send UTF-8 text',
});
