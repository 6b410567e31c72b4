import type { OrderRequest } from '../domain/order/order-request.ts';
import { isRefusal, type Refusal, refuse } from '../domain/refusal.ts';
import type { Channel, RunHolder } from '../domain/task/channel.ts';
import type { Priority, Task } from '../domain/task/task.ts';
import type { LedgerEvent } from '../domain/trace/ledger-event.ts';
import type { Federation } from '../federation/federation.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { RuntimeMessage } from '../protocols/runtime/kinds.ts';
import type {
  MessageEnvelope,
  ReplyEnvelope,
  RuntimeEnvelope,
  TaskCreateEnvelope,
} from '../protocols/runtime/schema/events.ts';
import { usualWorkspace } from '../workspace/find-repository.ts';
import { acceptedAnswer, type Delivery, type MessageAnswer, type ProtocolReceiver, refusedAnswer } from './received.ts';

export interface RuntimeParts {
  readonly ledger: Ledger;
  readonly dataFolder: string;
  /** Creates a task that another node is to run, and has it sent. */
  sendTask(
    request: OrderRequest,
    caller: SentBy,
  ): Promise<{ readonly task: Task; readonly events: readonly LedgerEvent[] } | Refusal>;
  /** A refusal where the node is in none, or its transport is away. */
  federation(): Promise<Federation | Refusal>;
}

/** The author of a task_create that was handed in, and what it says beside the words. */
interface SentBy {
  readonly key: string;
  readonly holder?: RunHolder;
  readonly requester?: string;
  readonly title: string;
  readonly priority?: Priority;
}

/**
 * Runtime: a message or reply of an agent of this node is sent in its name; its outbox assigns the event id and the seq. Events
 * of other nodes come from their outboxes only (runtime:send).
 */
export function receiveRuntime(parts: RuntimeParts): ProtocolReceiver {
  return {
    accept: async ({ kind, message: given }, delivery) => {
      const message = given as RuntimeMessage;
      if (!('eventId' in message)) return refusedAnswer(refuse('not_served', notSent(kind)));
      if (message.kind === 'task_create') return await createTask(parts, message as TaskCreateEnvelope, delivery);
      const isMail = message.kind === 'message' || message.kind === 'reply';
      return isMail ? await send(parts, message, delivery) : refusedAnswer(refuse('not_served', notSent(kind)));
    },
  };
}

function notSent(kind: string): string {
  return `${kind} comes from the outbox of its node, or from the control plane: only a message, a reply or a task_create can be sent here`;
}

async function send(parts: RuntimeParts, envelope: RuntimeEnvelope, delivery: Delivery): Promise<MessageAnswer> {
  const { ledger } = parts;
  const federation = await parts.federation();
  if (isRefusal(federation)) return refusedAnswer(federation);
  const refusal = refuseSender(federation.parts.nodeId, envelope, delivery.channel);
  if (refusal) return refusedAnswer(refusal);
  // The sender's id of the event: sent again, it is the same message.
  const asked = { ledger, request: envelope, key: `runtime:${envelope.eventId}` };
  const sent = await (envelope.kind === 'reply' ? replyOf : messageOf)(federation, envelope, asked);
  return isRefusal(sent) ? refusedAnswer(sent) : acceptedAnswer({ task: null, events: sent.events });
}

/** A task_create of this node is sent like a task of `baton run --on`: the outbox and the ledger assign its ids. */
async function createTask(
  parts: RuntimeParts,
  envelope: TaskCreateEnvelope,
  { channel }: Delivery,
): Promise<MessageAnswer> {
  const federation = await parts.federation();
  if (isRefusal(federation)) return refusedAnswer(federation);
  const { nodeId, clock } = federation.parts;
  const refusal = refuseSender(nodeId, envelope, channel) ?? refuseType(envelope);
  if (refusal) return refusedAnswer(refusal);
  const { title, description = '', toAgents = [], requiredCapabilities = [], priority, deadlineAt } = envelope.payload;
  const leftMs = deadlineAt === undefined ? null : Date.parse(deadlineAt) - clock.now().wallMs;
  if (leftMs !== null && leftMs < 1_000)
    return refusedAnswer(refuse('invalid_argument', 'the deadline has passed', '/payload/deadlineAt'));
  const request = {
    text: description.trim() === '' ? title : description,
    workspace: usualWorkspace(parts.dataFolder),
    on: toAgents,
    needs: requiredCapabilities,
    ...(leftMs !== null && { deadlineSeconds: Math.floor(leftMs / 1_000) }),
  };
  const holder = channel.kind === 'operator' ? {} : { holder: channel.holder };
  const caller = { key: `runtime:${envelope.eventId}`, requester: envelope.sourceAgentId, title, ...holder };
  const sent = await parts.sendTask(request, { ...caller, ...(priority && { priority }) });
  return isRefusal(sent) ? refusedAnswer(inPayload(sent)) : acceptedAnswer(sent);
}

/** Skill distributions come with a publication (runtime:skill-distribution). */
function refuseType({ payload: { taskType } }: TaskCreateEnvelope): Refusal | null {
  return taskType === undefined
    ? null
    : refuse('not_served', `a task of the type ${taskType} cannot be handed in`, '/payload/taskType');
}

const FIELDS: Readonly<Record<string, string>> = {
  '/on': '/payload/toAgents',
  '/needs': '/payload/requiredCapabilities',
  '/text': '/payload/description',
  '/requester': '/sourceAgentId',
};

function inPayload(refusal: Refusal): Refusal {
  return { ...refusal, path: FIELDS[refusal.path] ?? refusal.path };
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
