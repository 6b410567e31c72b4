import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import { changeTrust } from '../../federation/directory.ts';
import type { Federation } from '../../federation/federation.ts';
import { findRecipients } from '../../federation/messages/address.ts';
import { type Mail, readMail, replyMessage, type Sent, sendMessage } from '../../federation/messages/mailbox.ts';
import { nodeStatus, shortKeyId } from '../../federation/node-status.ts';
import { TransportFault } from '../../federation/transport.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { recipientsOf, selectInbox } from '../../ledger/statements/inbox.ts';
import { selectReceipts, selectSent, selectSentMessages } from '../../ledger/statements/outbox.ts';
import { type PeerTrust, selectPeer } from '../../ledger/statements/peers.ts';
import { waitAtMost } from '../../platform/timer.ts';
import type { FEDERATION_CALLS } from '../calls/federation-call-table.ts';
import type { JoinAnswer, LeaveAnswer, SentMessage } from '../federation-contract.ts';
import type { Calls, RequestOf } from '../node-client.ts';
import { submit } from './task-calls.ts';

const MESSAGES_SHOWN_MAX = 200;
const CATCH_UP_MS_MAX = 2_000;

/** The federation of a node, as its callers reach it. */
export interface FederationDoor {
  /** Started; a refusal where the node is in none. */
  open(): Promise<Federation | Refusal>;
  join(request: RequestOf<'joinFederation'>): Promise<JoinAnswer | Refusal>;
  leave(): Promise<LeaveAnswer | Refusal>;
}

export type FederationCalls = Pick<Calls, keyof typeof FEDERATION_CALLS>;

/** Other machines, and messages between agents. */
export function federationCalls(door: FederationDoor, ledger: Ledger): FederationCalls {
  const within = <Answer>(call: (federation: Federation) => Promise<Answer | Refusal>) => withFederation(door, call);
  return {
    nodeStatus: () => within((federation) => nodeStatus(federation)),
    joinFederation: (request) => door.join(request).catch(refuseFault),
    leaveFederation: () => door.leave().catch(refuseFault),
    trustNode: ({ node }) => within((federation) => trust(federation, node, 'trusted')),
    removeNode: ({ node }) => within((federation) => trust(federation, node, 'removed')),
    sendMessage: (request, options) => within((federation) => send({ federation, ledger, options }, request)),
    sentMessages: ({ event } = {}) => within(async (federation) => sent(federation, event)),
    readMessages: (request = {}) => within((federation) => read(federation, request)),
    replyMessage: (request, options) => within((federation) => reply({ federation, ledger, options }, request)),
  };
}

async function withFederation<Answer>(
  door: FederationDoor,
  call: (federation: Federation) => Promise<Answer | Refusal>,
): Promise<Answer | Refusal> {
  try {
    const federation = await door.open();
    return isRefusal(federation) ? federation : await call(federation);
  } catch (error) {
    return refuseFault(error);
  }
}

function refuseFault(error: unknown): Refusal {
  if (error instanceof TransportFault) return refuse('broker_unreachable', error.message);
  throw error;
}

async function trust(federation: Federation, nodeId: string, to: PeerTrust) {
  const { ledger } = federation.parts;
  const node = await federation.directory.node(nodeId);
  const known = selectPeer(ledger.read, nodeId);
  if (!node && !known) return refuse('node_not_found', `there is no node ${nodeId} in the federation`, '/node');
  const keys = to === 'trusted' && node ? { keys: node.keys } : {};
  const changed = await ledger.submit(changeTrust, { nodeId, trust: to, ...keys });
  if (isRefusal(changed)) return changed;
  if (to === 'removed') await federation.plane.forget(nodeId);
  const key = selectPeer(ledger.read, nodeId)?.publicKey ?? '';
  return { nodeId, trust: to, keyId: shortKeyId(key) };
}

type Options = Parameters<Calls['sendMessage']>[1];

/** A keyed change: a repeated request is recognized by what was asked for, not by the routes of the moment. */
interface Change {
  readonly federation: Federation;
  readonly ledger: Ledger;
  readonly options: Options;
}

async function send(
  { federation, ledger, options }: Change,
  request: RequestOf<'sendMessage'>,
): Promise<SentMessage | Refusal> {
  const { nodeId, isLocal, clock } = federation.parts;
  const { from = nodeId, subject = null, body, priority = 'normal', expectsReply = false } = request;
  if (from !== nodeId && !isLocal(from)) return unknownSender(from);
  if (body.trim() === '') return refuse('invalid_argument', 'the message is empty', '/body');
  const to = await findRecipients(federation.directory, request.to, from);
  if (isRefusal(to)) return to;
  const expiresAt =
    request.expiresInSeconds === undefined ? null : clock.now().wallMs + request.expiresInSeconds * 1_000;
  const { sender } = federation;
  const facts = { sender, fromAgent: from, to, subject, body, priority, expectsReply, corrId: null, expiresAt };
  const command: Command<typeof request, Sent> = (tx) => sendMessage(tx, facts);
  const answer = await submit(ledger, { command, facts: request }, options);
  if (isRefusal(answer)) return answer;
  return viewSent(federation, answer.eventId);
}

function unknownSender(agent: string): Refusal {
  const refusal = refuse('invalid_argument', `there is no agent ${agent} on this node`, '/from');
  return { ...refusal, hint: 'baton agents lists the agents of this node' };
}

function viewSent({ parts: { ledger } }: Federation, eventId: string): SentMessage {
  const row = selectSent(ledger.read, eventId);
  if (!row) throw new Error(`${eventId} was sent and is not in the outbox`);
  const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString());
  const receipts = selectReceipts(ledger.read, row.operation).map(
    ({ agent, node, acceptedAt, processedAt, failedAt }) => ({
      agentId: agent,
      nodeId: node,
      acceptedAt: iso(acceptedAt),
      processedAt: iso(processedAt),
      failedAt: iso(failedAt),
    }),
  );
  return { envelope: JSON.parse(row.envelope) as Record<string, unknown>, receipts };
}

function sent(federation: Federation, event: string | undefined) {
  const { ledger } = federation.parts;
  if (event !== undefined && !selectSent(ledger.read, event)) {
    return refuse('message_not_found', `this node did not send ${event}, or it is too long ago`, '/event');
  }
  const ids = event === undefined ? selectSentMessages(ledger.read, MESSAGES_SHOWN_MAX) : [event];
  return { messages: ids.map((id) => viewSent(federation, id)) };
}

function faultOnly(error: unknown): void {
  if (!(error instanceof TransportFault)) throw error;
}

async function read(federation: Federation, request: RequestOf<'readMessages'>) {
  const { ledger, transport } = federation.parts;
  // A node that was started for this one call has read nothing yet. With the store away it shows what it has.
  const caughtUp = federation.plane.findSources().catch(faultOnly);
  if (transport.isConnected) await waitAtMost(caughtUp, CATCH_UP_MS_MAX);
  const { agent = null, all = false, peek = false, limit = MESSAGES_SHOWN_MAX } = request;
  const question = { agent, isUnreadOnly: !all, isPeek: peek, limit: Math.min(limit, MESSAGES_SHOWN_MAX) };
  const answer = await ledger.submit(readMail, question);
  return isRefusal(answer) ? answer : { messages: answer.mail as unknown as readonly Record<string, unknown>[] };
}

async function reply(
  { federation, ledger, options }: Change,
  request: RequestOf<'replyMessage'>,
): Promise<SentMessage | Refusal> {
  const { event, body, from } = request;
  const row = selectInbox(ledger.read, event);
  if (!row) return refuse('message_not_found', `there is no message ${event}`, '/event');
  if (body.trim() === '') return refuse('invalid_argument', 'the reply is empty', '/body');
  const recipients = recipientsOf(ledger.read, event);
  const fromAgent = from ?? recipients[0] ?? federation.parts.nodeId;
  if (!recipients.includes(fromAgent))
    return refuse('invalid_argument', `${event} was not sent to ${fromAgent}`, '/from');
  const { sourceAgentId: agent, sourceNodeId: node } = JSON.parse(row.envelope) as Mail;
  const to = (await federation.directory.routeTo(agent)) ?? { agent, node, fence: null };
  const facts = { sender: federation.sender, eventId: event, fromAgent, to, body };
  const command: Command<typeof request, Sent> = (tx) => replyMessage(tx, facts);
  const answer = await submit(ledger, { command, facts: request }, options);
  return isRefusal(answer) ? answer : viewSent(federation, answer.eventId);
}
