import type { Channel } from '../domain/channel.ts';
import { isRefusal, type Refusal, refuse } from '../domain/refusal.ts';
import type { Federation } from '../federation/federation.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { RuntimeMessage } from '../protocols/runtime/kinds.ts';
import type { MessageEnvelope, ReplyEnvelope, RuntimeEnvelope } from '../protocols/runtime/schema/events.ts';
import { accepted, type Delivery, type MessageAnswer, type ProtocolReceiver, refused } from './received.ts';

export interface RuntimeParts {
  readonly ledger: Ledger;
  /** A refusal where the node is in none, or its transport is away. */
  federation(): Promise<Federation | Refusal>;
}

/**
 * Runtime: a message or reply of an agent of this node is sent in its name; its outbox assigns the event id and the seq. Events
 * of other nodes come from their outboxes only (runtime:send).
 */
export function receiveRuntime(parts: RuntimeParts): ProtocolReceiver {
  return {
    accept: async ({ kind, message: given }, delivery) => {
      const message = given as RuntimeMessage;
      const isMail = 'eventId' in message && (message.kind === 'message' || message.kind === 'reply');
      return isMail ? await send(parts, message, delivery) : refused(refuse('not_served', notSent(kind)));
    },
  };
}

function notSent(kind: string): string {
  return `${kind} comes from the outbox of its node, or from the control plane: only a message or a reply can be sent here`;
}

async function send(parts: RuntimeParts, envelope: RuntimeEnvelope, delivery: Delivery): Promise<MessageAnswer> {
  const { ledger } = parts;
  const federation = await parts.federation();
  if (isRefusal(federation)) return refused(federation);
  const refusal = refuseSender(federation.parts.nodeId, envelope, delivery.channel);
  if (refusal) return refused(refusal);
  // The sender's id of the event: sent again, it is the same message.
  const asked = { ledger, request: envelope, key: delivery.key ?? `runtime:${envelope.eventId}` };
  const sent = await (envelope.kind === 'reply' ? replyOf : messageOf)(federation, envelope, asked);
  return isRefusal(sent) ? refused(sent) : accepted({ task: null, events: sent.events });
}

type Sending = Parameters<typeof import('../federation/messages/send-mail.ts').sendMail>[2];

async function messageOf(federation: Federation, envelope: RuntimeEnvelope, asked: Sending) {
  const { payload, sourceAgentId, corrId = null, expiresAt } = envelope as MessageEnvelope;
  const { toAgents, subject = null, body, priority = 'normal', expectsReply = false } = payload;
  const { sendMail } = await import('../federation/messages/send-mail.ts');
  const times = { expiresAt: expiresAt === undefined ? null : Date.parse(expiresAt) };
  const message = { from: sourceAgentId, to: toAgents, subject, body, priority, expectsReply, corrId, ...times };
  return await sendMail(federation, message, asked);
}

async function replyOf(federation: Federation, envelope: RuntimeEnvelope, asked: Sending) {
  const { payload, sourceAgentId } = envelope as ReplyEnvelope;
  const { replyToMail } = await import('../federation/messages/send-mail.ts');
  return await replyToMail(federation, { event: payload.refEventId, body: payload.body, from: sourceAgentId }, asked);
}

/** A node appends to its own outbox only, and a run sends as its own agent only. */
function refuseSender(nodeId: string, envelope: RuntimeEnvelope, channel: Channel): Refusal | null {
  const { sourceNodeId, sourceAgentId } = envelope;
  if (sourceNodeId !== nodeId) {
    return refuse('unauthorized_agent', `this is ${nodeId}: it sends nothing for ${sourceNodeId}`, '/sourceNodeId');
  }
  if (channel.kind === 'operator' || channel.holder.agent === sourceAgentId) return null;
  return refuse('unauthorized_agent', `this run may send only as ${channel.holder.agent}`, '/sourceAgentId');
}
