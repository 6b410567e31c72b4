import { takeSkillAnswer } from '../federation/capabilities/distribute-skill.ts';
import { acceptSkill, isSkillDistribution } from '../federation/capabilities/receive-skill.ts';
import { takeReviewSignal } from '../federation/capabilities/take-review.ts';
import { isForAll } from '../federation/envelope.ts';
import type { DeliveredEvent, Inject, Injection } from '../federation/inbox.ts';
import { insertEvent } from '../ledger/statements/events.ts';
import type { Tx } from '../ledger/tx.ts';
import { UNEXPANDED_ALL } from '../protocols/runtime/rules.ts';
import type { DeadLetterEnvelope, MessageEnvelope, SignalEnvelope } from '../protocols/runtime/schema/events.ts';
import { queueMissing } from '../remote/content.ts';
import { isRecall, queueTask, takeRecall } from '../remote/receiver/receive-task.ts';
import { acceptanceInAck, isTaskEvent } from '../remote/sender/read-answer.ts';
import { takeTaskEvent } from '../remote/sender/take-task-event.ts';

const DONE: Injection = { isQueued: false };
const REFUSED: Injection = { isQueued: false, isRefused: true };

/** Applies each kind of event that is delivered to this node. */
export const injectEvent: Inject = (tx, delivered) => {
  const { envelope } = delivered;
  switch (envelope.kind) {
    case 'message':
      return keepMessage(tx, delivered, subjectOf(envelope));
    case 'reply':
      return keepMessage(tx, delivered, { replyTo: envelope.payload.refEventId });
    case 'dead_letter':
      return noteDeadLetter(tx, envelope);
    case 'task_create':
      return isSkillDistribution(envelope) ? acceptSkill(tx, delivered) : queueTask(envelope);
    case 'signal':
      return takeSignal(tx, delivered, envelope);
    default: {
      const event = isTaskEvent(envelope) ? envelope : acceptanceInAck(tx, envelope);
      if (event === null) return REFUSED;
      return takeSkillAnswer(tx, event) ?? takeTaskEvent(tx, event, delivered.sender) ?? REFUSED;
    }
  }
};

/** Signals that this node does not know are kept and change nothing (runtime:kinds). */
function takeSignal(tx: Tx, delivered: DeliveredEvent, signal: SignalEnvelope): Injection {
  if (isRecall(signal)) return takeRecall(tx, delivered);
  const missing = queueMissing(signal);
  if (missing) return missing;
  takeReviewSignal(tx, signal, delivered.sender);
  return DONE;
}

type MessageFacts = { readonly subject?: string; readonly replyTo?: string };

function subjectOf({ payload: { subject } }: MessageEnvelope): MessageFacts {
  return subject ? { subject } : {};
}

/** The inbox row is the message: it waits there until its recipient reads it. No model is started. */
function keepMessage(tx: Tx, { envelope, agents }: DeliveredEvent, about: MessageFacts): Injection {
  const { eventId, sourceAgentId, sourceNodeId, corrId = null } = envelope;
  const warnings = isForAll(envelope) ? { warnings: [UNEXPANDED_ALL] } : {};
  const payload = { eventId, from: sourceAgentId, node: sourceNodeId, to: agents.join(', '), corrId, ...warnings };
  insertEvent(tx, { type: 'message.received', actor: sourceAgentId, taskId: null, payload: { ...payload, ...about } });
  return DONE;
}

/** A sender gave up on an event; the event itself may still have come. */
function noteDeadLetter(tx: Tx, { payload, sourceNodeId }: DeadLetterEnvelope): Injection {
  const { refEventId: eventId, refKind: kind, reason, attempts } = payload;
  const about = { eventId, kind, to: '', reason, attempts, node: sourceNodeId };
  insertEvent(tx, { type: 'delivery.given_up', actor: sourceNodeId, taskId: null, payload: about });
  return DONE;
}
