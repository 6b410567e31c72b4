import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { recipientsOf, selectInbox } from '../../ledger/statements/federation/inbox.ts';
import { EVERYBODY } from '../envelope.ts';
import type { Federation } from '../federation.ts';
import type { Directory } from '../nodes/directory.ts';
import type { Recipient } from '../outbox.ts';
import { TransportFault } from '../transport.ts';
import { type Mail, type NewMessage, replyMessage, type SentMail, sendMessage } from './mailbox.ts';

/** A message that an agent of this node, or the node itself, sends. */
export interface OutgoingMessage extends Partial<Pick<NewMessage, 'subject' | 'priority' | 'expectsReply' | 'corrId'>> {
  /** Absent is the node itself. */
  readonly from?: string;
  readonly to: readonly string[];
  readonly body: string;
  /** Milliseconds since 1970. */
  readonly expiresAt?: number | null;
}

export interface OutgoingReply {
  readonly event: string;
  readonly body: string;
  /** One of the recipients of the message; absent is the first. */
  readonly from?: string;
}

/** A repeated request is recognized by what was asked for, not by the routes of the moment. */
export interface MailRequest {
  readonly ledger: Pick<Ledger, 'read' | 'submitOnce'>;
  readonly request: object;
  readonly key?: string | undefined;
}

export async function sendMail(
  federation: Federation,
  message: OutgoingMessage,
  asked: MailRequest,
): Promise<SentMail | Refusal> {
  const { nodeId, isLocal } = federation.parts;
  const { from = nodeId, to: named, body, subject = null, priority = 'normal', expectsReply = false } = message;
  if (from !== nodeId && !isLocal(from)) return unknownSender(from);
  if (body.trim() === '') return refuse('invalid_argument', 'the message is empty', '/body');
  const to = await findRecipients(federation.directory, named, from);
  if (isRefusal(to)) return to;
  const { corrId = null, expiresAt = null } = message;
  const { sender } = federation;
  const facts = { sender, fromAgent: from, to, subject, body, priority, expectsReply, corrId, expiresAt };
  return await submitAsked(asked, (tx) => sendMessage(tx, facts));
}

export async function replyToMail(
  federation: Federation,
  { event, body, from }: OutgoingReply,
  asked: MailRequest,
): Promise<SentMail | Refusal> {
  const { ledger } = asked;
  const row = selectInbox(ledger.read, event);
  if (!row) return refuse('message_not_found', `there is no message ${event}`, '/event');
  if (body.trim() === '') return refuse('invalid_argument', 'the reply is empty', '/body');
  const recipients = recipientsOf(ledger.read, event);
  const fromAgent = from ?? recipients[0] ?? federation.parts.nodeId;
  if (!recipients.includes(fromAgent))
    return refuse('invalid_argument', `${event} was not sent to ${fromAgent}`, '/from');
  const { sourceAgentId: agent, sourceNodeId: node } = JSON.parse(row.envelope) as Mail;
  const route = await federation.directory.routeOrLast(agent).catch(ifAway);
  const to = route ?? { agent, node, fence: null };
  const facts = { sender: federation.sender, eventId: event, fromAgent, to, body };
  return await submitAsked(asked, (tx) => replyMessage(tx, facts));
}

/** The sender of the message is where the message came from, as far as this node knows. */
function ifAway(error: unknown): null {
  if (error instanceof TransportFault) return null;
  throw error;
}

function submitAsked(
  { ledger, request, key }: MailRequest,
  command: Command<object, SentMail>,
): Promise<SentMail | Refusal> {
  return ledger.submitOnce(key, command, request);
}

function unknownSender(agent: string): Refusal {
  const refusal = refuse('invalid_argument', `there is no agent ${agent} on this node`, '/from');
  return { ...refusal, hint: 'baton agents lists the agents of this node' };
}

/** The recipients that addresses stand for now; `all` alone means every active agent but the sender (Runtime §3.2). */
async function findRecipients(
  directory: Directory,
  addresses: readonly string[],
  sender: string,
): Promise<readonly Recipient[] | Refusal> {
  const named = [...new Set(addresses)];
  if (named.length === 0) return refuse('invalid_targets', 'a message needs a recipient', '/to');
  if (named.includes(EVERYBODY)) {
    if (named.length > 1) return refuse('invalid_targets', '"all" cannot be combined with other recipients', '/to');
    const everybody = (await directory.activeOrKnownAgents()).filter(({ agent }) => agent !== sender);
    return everybody.length > 0
      ? everybody
      : refuse('invalid_targets', 'no other agent is active in the federation', '/to');
  }
  const found: Recipient[] = [];
  const unknown: string[] = [];
  for (const address of named) {
    const recipient = await directory.routeOrLast(address);
    if (recipient) found.push(recipient);
    else unknown.push(address);
  }
  if (unknown.length === 0) return found;
  const refusal = refuse('invalid_targets', `nobody in the federation is called ${unknown.join(' or ')}`, '/to');
  return { ...refusal, hint: 'baton node status lists the nodes and their agents' };
}
