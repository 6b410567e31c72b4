import { OPERATOR } from '../../domain/decisions/decide-sender.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import type { Priority } from '../../domain/task.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { beatByMessage } from '../../operations/beat-by-message.ts';
import type { Created } from '../../operations/create-task.ts';
import { escalatePriority } from '../../operations/escalate-priority.ts';
import type { AopEvent, AopMessage } from '../../protocols/aop/kinds.ts';
import type { Accepted } from '../../protocols/codec.ts';
import type { SendAnswer } from '../contract.ts';
import { accepted, refusedAnswer, type SendOptions } from './send-answer.ts';
import { submit } from './submit.ts';

export interface AopParts {
  readonly ledger: Ledger;
  /** Takes a TASK, as `baton run` would. */
  order(text: string, options: SendOptions): Promise<Created | Refusal>;
  /** An EVENT of a run that came by another way than its output. */
  received(runId: string, event: AopEvent): void;
}

interface Sent {
  readonly text: string;
  readonly options: SendOptions;
}

type AboutTask = EventOf<'HEARTBEAT' | 'PROGRESS_UPDATE' | 'PRIORITY_ESCALATION'>;
type EventOf<Name extends AopEvent['event']> = Extract<AopEvent, { readonly event: Name }>;

/** AOP messages, handed in whole. What an agent answers and tells of its own run comes by its output. */
export class AopCalls {
  readonly #parts: AopParts;

  constructor(parts: AopParts) {
    this.#parts = parts;
  }

  async take({ kind, message }: Accepted<AopMessage>, { text, options }: Sent): Promise<SendAnswer> {
    if (kind === 'TASK') return await this.#order(text, options);
    if (!('event' in message)) return refusedAnswer(refuse('not_served', NOT_BY_HAND[kind] ?? `${kind} is not taken`));
    switch (message.event) {
      case 'PRIORITY_ESCALATION':
        return await this.#escalate(message, options);
      case 'HEARTBEAT':
      case 'PROGRESS_UPDATE':
        return await this.#beat(message, options);
      default:
        return refusedAnswer(refuse('not_served', `${kind} is for Baton itself to say`));
    }
  }

  async #order(text: string, options: SendOptions): Promise<SendAnswer> {
    if (options.holder) return refusedAnswer(refuse('E_PERMISSION_DENIED', 'a run may not give out work by its token'));
    const answer = await this.#parts.order(text, options);
    return isRefusal(answer) ? refusedAnswer(answer) : accepted(answer);
  }

  async #escalate(event: EventOf<'PRIORITY_ESCALATION'>, options: SendOptions): Promise<SendAnswer> {
    const refusal = refuseEscalation(event, options);
    if (refusal) return refusedAnswer(refusal);
    const facts = {
      ...nameIn(event),
      priority: event.new_priority?.toLowerCase() as Priority,
      reason: event.reason ?? null,
      actor: OPERATOR,
    };
    const answer = await submit(this.#parts.ledger, { command: escalatePriority, facts }, options);
    return isRefusal(answer) ? refusedAnswer(answer) : accepted(answer);
  }

  /** A second sign of life is as good as one, so no key is kept for it. */
  async #beat(event: EventOf<'HEARTBEAT' | 'PROGRESS_UPDATE'>, { run, holder }: SendOptions): Promise<SendAnswer> {
    const facts = { ...nameIn(event), runId: run ?? null, ownTaskId: holder?.taskId ?? null };
    const answer = await this.#parts.ledger.submit(beatByMessage, facts);
    if (isRefusal(answer)) return refusedAnswer(answer);
    this.#parts.received(answer.run.id, event);
    return accepted({ task: answer.task, events: [] });
  }
}

const NOT_BY_HAND: Readonly<Record<string, string>> = {
  RESPONSE: 'a RESPONSE is taken from the output of the agent that was started for its TASK',
  V1: 'a v1 prompt names no agent and no workspace: give it to baton run',
};

function nameIn({ session_id: sessionId, task_id: senderTaskId }: AboutTask) {
  return { sessionId, senderTaskId };
}

function refuseEscalation(event: EventOf<'PRIORITY_ESCALATION'>, { holder }: SendOptions): Refusal | null {
  if (holder) return refuse('E_PERMISSION_DENIED', 'a run may not raise the priority of its own task');
  if (event.new_priority) return null;
  return refuse('E_SCHEMA_VALIDATION', 'an escalation names the new priority', '/new_priority');
}
