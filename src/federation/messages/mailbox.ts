import { refuse } from '../../domain/refusal.ts';
import type { LedgerEvent } from '../../domain/trace/ledger-event.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import { insertEvent } from '../../ledger/statements/events.ts';
import { markRead, selectInbox, selectMail } from '../../ledger/statements/federation/inbox.ts';
import type { MessageEnvelope, ReplyEnvelope, RuntimeEnvelope } from '../../protocols/runtime/schema/events.ts';
import { endInbox } from '../acknowledge.ts';
import { type AppendedEvent, appendEvent, type Recipient, type Sender } from '../outbox.ts';

export interface NewMessage {
  readonly sender: Sender;
  readonly fromAgent: string;
  readonly to: readonly Recipient[];
  readonly subject: string | null;
  readonly body: string;
  readonly priority: 'low' | 'normal' | 'high' | 'critical';
  readonly expectsReply: boolean;
  readonly corrId: string | null;
  readonly expiresAt: number | null;
}

export interface SentMail extends AppendedEvent {
  readonly events: readonly LedgerEvent[];
}

/** Records a message for agents of this or other nodes. `all` is expanded before (Runtime §3.2). */
export const sendMessage: Command<NewMessage, SentMail> = (tx, message) => {
  const { sender, fromAgent, to, subject, body, priority, expectsReply, corrId, expiresAt } = message;
  const payload = {
    toAgents: to.map(({ agent }) => agent),
    ...(subject !== null && { subject }),
    body,
    priority,
    expectsReply,
  };
  const draft = { kind: 'message', fromAgent, to, payload, expiresAt, ...(corrId !== null && { corrId }) } as const;
  const sent = appendEvent(tx, sender, draft);
  const about = { eventId: sent.eventId, to: payload.toAgents.join(', '), ...(subject !== null && { subject }) };
  const event = insertEvent(tx, { type: 'message.sent', actor: fromAgent, taskId: null, payload: about });
  return { ...sent, events: [event] };
};

export interface NewReply {
  readonly sender: Sender;
  readonly eventId: string;
  /** One of the recipients of the message. */
  readonly fromAgent: string;
  readonly to: Recipient;
  readonly body: string;
}

/** Answers a message: with the reply its terminal outcome exists, so it is processed (Runtime §5.3). */
export const replyMessage: Command<NewReply, SentMail> = (tx, { sender, eventId, fromAgent, to, body }) => {
  const row = selectInbox(tx, eventId);
  if (!row) return refuse('message_not_found', `there is no message ${eventId}`);
  const payload = { refEventId: eventId, body };
  const corrId = row.corrId ?? eventId;
  const sent = appendEvent(tx, sender, { kind: 'reply', fromAgent, to: [to], corrId, payload });
  endInbox(tx, sender, { eventId, type: 'processed', agent: fromAgent });
  markRead(tx, eventId, fromAgent);
  const about = { eventId: sent.eventId, to: to.agent, replyTo: eventId };
  const event = insertEvent(tx, { type: 'message.sent', actor: fromAgent, taskId: null, payload: about });
  return { ...sent, events: [event] };
};

export interface MailQuestion {
  /** Null for all agents of this node. */
  readonly agent: string | null;
  readonly isUnreadOnly: boolean;
  /** Messages that are shown stay unread. */
  readonly isPeek: boolean;
  readonly limit: number;
}

export type Mail = MessageEnvelope | ReplyEnvelope;

/** Messages and replies for agents of this node, oldest first. */
export const readMail: Command<MailQuestion, { readonly mail: readonly Mail[] }> = (tx, question) => {
  const found = selectMail(tx, question);
  if (!question.isPeek) {
    for (const { eventId, agent, isRead } of found) {
      if (isRead) continue;
      markRead(tx, eventId, agent);
      insertEvent(tx, { type: 'message.read', actor: agent, taskId: null, payload: { eventId } });
    }
  }
  const texts = [...new Set(found.map(({ envelope }) => envelope))];
  return { mail: texts.map((text) => JSON.parse(text) as RuntimeEnvelope as Mail) };
};
