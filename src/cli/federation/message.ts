import type { NodeClient } from '../../api/node-client.ts';
import { ENVELOPE_BYTES_MAX } from '../../domain/federation/federation-limits.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { answerOfCall, refused } from '../answer-of-call.ts';
import { callOptions, priorityOf } from '../call-parts.ts';
import { type Call, flagText, flagTexts, UsageError } from '../command.ts';
import { type NodeAnswer, nodeCommand } from '../node/node-command.ts';
import { textOrInput } from '../read-input.ts';
import { mailText, sentText } from './federation-text.ts';

const FROM = { takes: 'value', shows: 'AGENT', help: 'an agent of this node; by default the node itself' } as const;

export const messageSendCommand = nodeCommand({
  usage:
    'baton message send TO TEXT [--to TO …] [--subject S] [--from AGENT] [--reply] [--priority P] [--expires SECONDS] [--json]',
  about: [
    'Sends a message to agents of this or other machines. TO is an agent (emma), an agent of one node (emma@laptop), a node, several of',
    'them with commas between, or all. The text may be - for standard input. It is kept until they read it; no model is started.',
  ].join(' '),
  examples: [
    'baton message send emma "the build is green, please check the release notes"',
    'baton message send emma,critic@server --subject Release "please look"',
    'git diff | baton message send reviewer -',
  ],
  flags: {
    to: { takes: 'values', shows: 'TO', help: 'a recipient; then all words are the text' },
    subject: { takes: 'value', shows: 'TEXT', short: 's', help: 'a line about it' },
    from: FROM,
    reply: { takes: 'nothing', help: 'an answer is expected' },
    priority: { takes: 'value', shows: 'P', help: 'low, normal, high or critical' },
    expires: { takes: 'value', shows: 'SECONDS', help: 'discard the message if it is not delivered within SECONDS' },
  },
  async plan(call) {
    const request = await draftOf(call);
    const options = callOptions(call);
    return async (client) =>
      answerOfCall(await client.sendMessage(request, options), { say: sentText, next: whenNotYet });
  },
});

async function draftOf(call: Call) {
  const flagged = flagTexts(call, 'to') ?? [];
  const [first, ...rest] = call.words;
  const named = flagged.length > 0 ? flagged : [first ?? ''];
  const to = named.flatMap((part) => part.split(',')).flatMap((part) => (part.trim() === '' ? [] : [part.trim()]));
  const words = flagged.length > 0 ? call.words : rest;
  const [example, subject, from] = ['baton message send emma "…"', flagText(call, 'subject'), flagText(call, 'from')];
  if (to.length === 0) throw new UsageError('message send: needs a recipient', example);
  if (words.length === 0) throw new UsageError('message send: needs a text', example);
  const body = await textOrInput(words.join(' '), ENVELOPE_BYTES_MAX);
  const priority = priorityOf(call);
  const expires = flagText(call, 'expires');
  return {
    to,
    body,
    ...(subject !== undefined && { subject }),
    ...(from !== undefined && { from }),
    ...(priority && { priority }),
    ...(call.flags.reply && { expectsReply: true }),
    ...(expires !== undefined && { expiresInSeconds: secondsOf(expires) }),
  };
}

function secondsOf(given: string): number {
  const seconds = Number(given);
  if (Number.isSafeInteger(seconds) && seconds > 0) return seconds;
  throw new UsageError(`no number of seconds: ${JSON.stringify(given)}`, '--expires 3600');
}

function whenNotYet({ receipts }: Parameters<typeof sentText>[0]): string | null {
  return receipts.some(({ acceptedAt }) => acceptedAt === null)
    ? 'next: baton message sent  shows when it was accepted'
    : null;
}

export const messageReadCommand = nodeCommand({
  usage: 'baton message read [--agent AGENT] [--all] [--peek] [--json]',
  about:
    'Prints the messages for the agents of this node that nobody has read yet, oldest first, and marks them as read.',
  examples: ['baton message read', 'baton message read --agent emma --peek', 'baton message read --all --json'],
  ignores: ['key'],
  flags: {
    agent: { takes: 'value', shows: 'AGENT', help: 'messages for this agent only' },
    all: { takes: 'nothing', help: 'also those that were read before' },
    peek: { takes: 'nothing', help: 'they stay unread' },
  },
  plan(call) {
    if (call.words.length > 0)
      throw new UsageError('message read: takes no arguments', 'baton message read --agent NAME');
    return (client) => mailAnswer(call, client);
  },
});

async function mailAnswer(call: Call, client: NodeClient): Promise<NodeAnswer<unknown>> {
  const agent = flagText(call, 'agent');
  const list = await client.readMessages({
    ...(agent !== undefined && { agent }),
    ...(call.flags.all && { all: true }),
    ...(call.flags.peek && { peek: true }),
  });
  if (isRefusal(list)) return refused(list);
  const nothing = call.flags.all ? 'no messages' : 'no new messages: baton message read --all shows the earlier ones';
  return {
    values: list.messages,
    human: (envelope, style) => mailText(envelope as Readonly<Record<string, unknown>>, style),
    summary: () => (list.messages.length === 0 ? nothing : null),
    exitCode: () => 0,
  };
}

export const messageReplyCommand = nodeCommand({
  usage: 'baton message reply EVENT TEXT [--from AGENT] [--json]',
  about: 'Answers a message by its id, which baton message read prints. The text may be - for standard input.',
  examples: ['baton message reply evt_01JV3M2N8V1ZK4J2A0M7Y6P9QF "done, see the branch"'],
  flags: { from: FROM },
  async plan(call) {
    const [event, ...words] = call.words;
    const example = 'baton message reply evt_… "…"';
    if (event === undefined || words.length === 0)
      throw new UsageError('message reply: needs a message and a text', example);
    const body = await textOrInput(words.join(' '), ENVELOPE_BYTES_MAX);
    const from = flagText(call, 'from');
    const options = callOptions(call);
    return async (client) =>
      answerOfCall(await client.replyMessage({ event, body, ...(from !== undefined && { from }) }, options), {
        say: sentText,
      });
  },
});

export const messageSentCommand = nodeCommand({
  usage: 'baton message sent [EVENT] [--json]',
  about:
    'Prints the messages that this node sent, oldest first, and for each recipient whether it was accepted, answered or refused.',
  examples: ['baton message sent', 'baton message sent evt_01JV3M2N8V1ZK4J2A0M7Y6P9QF --json'],
  ignores: ['key'],
  flags: {},
  plan(call) {
    const [event, tooMany] = call.words;
    if (tooMany !== undefined) throw new UsageError('message sent: takes one message', 'baton message sent EVENT');
    return async (client) => {
      const list = await client.sentMessages(event === undefined ? {} : { event });
      if (isRefusal(list)) return refused(list);
      return {
        values: list.messages,
        human: (message, style) => sentText(message as Parameters<typeof sentText>[0], style),
        summary: () => (list.messages.length === 0 ? 'nothing was sent' : null),
        exitCode: () => 0,
      };
    };
  },
});
