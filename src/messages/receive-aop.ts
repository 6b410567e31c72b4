import type { AgentSignal } from '../domain/agent/agent-signal.ts';
import { isRefusal, type Refusal, refuse } from '../domain/refusal.ts';
import type { Channel, RunHolder } from '../domain/task/channel.ts';
import { OPERATOR } from '../domain/task/decide-sender.ts';
import type { Priority } from '../domain/task/task.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { beatByMessage, escalatePriority } from '../operations/message/apply-event.ts';
import { decodeEvent } from '../protocols/aop/agent-signals.ts';
import type { AopEvent, AopMessage } from '../protocols/aop/kinds.ts';
import type { DecodedTask } from '../protocols/aop/read-task-order.ts';
import {
  acceptedAnswer,
  type Delivery,
  type MessageAnswer,
  type PartPaths,
  type ProtocolReceiver,
  refusedAnswer,
} from './received.ts';

export interface AopParts {
  readonly ledger: Ledger;
  /** Accepts a TASK, as `baton run` does; of a run only for its own task and within its rights (aop:delegation). */
  order(
    text: string,
    by: { readonly key: string | undefined; readonly decoded: DecodedTask; readonly holder?: RunHolder },
  ): Promise<Pick<MessageAnswer, 'task' | 'events'> | Refusal>;
  /** Passes on what a run reported by another way than its output. */
  signal(runId: string, signal: AgentSignal): void;
}

type EventOf<Name extends AopEvent['event']> = Extract<AopEvent, { readonly event: Name }>;
type Escalation = EventOf<'PRIORITY_ESCALATION'>;
type Progress = EventOf<'HEARTBEAT' | 'PROGRESS_UPDATE'>;

/** AOP: orders, and the events that their senders and agents report. */
export function receiveAop(parts: AopParts): ProtocolReceiver {
  return {
    accept: async ({ kind, message: given, warnings }, delivery) => {
      const message = given as AopMessage;
      if (kind === 'TASK') return await acceptTask(parts, { message, warnings }, delivery);
      if (!('event' in message))
        return refusedAnswer(refuse('not_served', NOT_RECEIVED[kind] ?? `${kind} is not served`));
      switch (message.event) {
        case 'PRIORITY_ESCALATION':
          return await escalate(parts, message, delivery);
        case 'HEARTBEAT':
        case 'PROGRESS_UPDATE':
          return await beat(parts, message, delivery.channel);
        default:
          return refusedAnswer(refuse('not_served', `only Baton itself reports ${kind}`));
      }
    },
  };
}

const EVENT_PATHS: PartPaths = { task: '/task_id', agent: '/agent' };

const NOT_RECEIVED: Readonly<Record<string, string>> = {
  RESPONSE: 'a RESPONSE is read from the output of the agent that was started for its TASK',
  V1: 'a v1 prompt names no agent and no workspace: give it to baton run',
};

async function acceptTask(
  parts: AopParts,
  decoded: DecodedTask,
  { text, channel, key }: Delivery,
): Promise<MessageAnswer> {
  const answer = await parts.order(text, { key, decoded, ...(channel.kind === 'run' && { holder: channel.holder }) });
  return isRefusal(answer) ? refusedAnswer(answer) : acceptedAnswer({ task: answer.task, events: answer.events });
}

async function escalate({ ledger }: AopParts, event: Escalation, { channel, key }: Delivery): Promise<MessageAnswer> {
  if (channel.kind === 'run') {
    return refusedAnswer(refuse('permission-denied', 'a run may not raise the priority of its own task'));
  }
  if (!event.new_priority) {
    return refusedAnswer(refuse('invalid-message', 'an escalation names the new priority', '/new_priority'));
  }
  const priority = event.new_priority.toLowerCase() as Priority;
  const facts = { ...nameIn(event), priority, reason: event.reason ?? null, actor: OPERATOR };
  const moved = await ledger.submitOnce(key, escalatePriority, facts);
  return isRefusal(moved) ? refusedAnswer(moved, EVENT_PATHS) : acceptedAnswer(moved);
}

/** A second beat does no harm, so it needs no key. */
async function beat({ ledger, signal }: AopParts, event: Progress, channel: Channel): Promise<MessageAnswer> {
  const holder = channel.kind === 'run' ? channel.holder : null;
  const runId = channel.kind === 'run' ? channel.holder.runId : channel.run;
  const answer = await ledger.submit(beatByMessage, { ...nameIn(event), runId, holder, agent: event.agent ?? null });
  if (isRefusal(answer)) return refusedAnswer(answer, EVENT_PATHS);
  for (const each of decodeEvent(event)) signal(answer.run.id, each);
  return acceptedAnswer({ task: answer.task, events: [] });
}

function nameIn({ session_id: sessionId, task_id: senderTaskId }: Escalation | Progress) {
  return { sessionId, senderTaskId };
}
