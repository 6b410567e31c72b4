import type { HandoffAnswerMessage } from '../domain/agent-message.ts';
import { OPERATOR } from '../domain/decisions/decide-sender.ts';
import { canMove } from '../domain/task-lifecycle.ts';
import { type HandoffRow, selectHandoff, upsertHandoff } from '../ledger/statements/handoffs.ts';
import type { Tx } from '../ledger/tx.ts';
import { isOperatorsWord, logged, type MessageOutcome, type MessageSubject, reject } from './message-outcome.ts';
import { transition } from './transition.ts';

/** AOF/1: the agent that a task was handed to accepts it, or rejects it with a reason; then the task is blocked. */
export function applyHandoffAnswer(tx: Tx, message: HandoffAnswerMessage, subject: MessageSubject): MessageOutcome {
  const { task, channelRun } = subject;
  if (channelRun !== null && channelRun !== task.runId) return reject(tx, message, 'stale_run');
  const handoff = selectHandoff(tx, task.id);
  const asked = handoff?.toAgent ?? task.routing.agent;
  if (asked !== null && asked !== message.fromAgent && message.fromAgent !== OPERATOR) {
    return reject(tx, message, 'unauthorized_agent');
  }
  return message.isAccepted
    ? accept(tx, message, { ...subject, handoff })
    : refuseHandoff(tx, message, { ...subject, handoff });
}

interface Asked extends MessageSubject {
  readonly handoff: HandoffRow | null;
}

function accept(tx: Tx, message: HandoffAnswerMessage, { task, handoff }: Asked): MessageOutcome {
  if (handoff?.state === 'accepted') return { verdict: 'accepted', code: null, events: [], task };
  if (handoff) upsertHandoff(tx, { ...handoff, state: 'accepted' });
  const event = logged(tx, message, { type: 'delegation.accepted', payload: {} });
  return { verdict: 'accepted', code: null, events: [event], task };
}

function refuseHandoff(tx: Tx, message: HandoffAnswerMessage, asked: Asked): MessageOutcome {
  const { task, handoff } = asked;
  if (handoff?.state === 'rejected' && task.status === 'blocked')
    return { verdict: 'accepted', code: null, events: [], task };
  if (handoff) upsertHandoff(tx, { ...handoff, state: 'rejected' });
  const reason = message.reason ?? 'handoff rejected';
  // aof:self-approval: while an order is open, Baton moves its task.
  const isTheirs = !asked.isOrdered || isOperatorsWord(message, asked);
  const moved =
    canMove(task.status, 'blocked') && isTheirs
      ? transition(tx, task, { to: 'blocked', actor: message.fromAgent, reason })
      : { task, events: [] };
  const event = logged(tx, message, { type: 'delegation.rejected', payload: { reason } });
  return { verdict: 'accepted', code: null, events: [...moved.events, event], task: moved.task };
}
