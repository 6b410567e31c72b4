import { AOF_DELEGATION_DEPTH_MAX } from '../../domain/limits.ts';
import type { HandoffAnswerMessage, HandoffMessage } from '../../domain/task/agent-message.ts';
import { decideSender, OPERATOR } from '../../domain/task/decide-sender.ts';
import { delegationDepth, type Task, type TaskName } from '../../domain/task/task.ts';
import { canMove } from '../../domain/task/task-lifecycle.ts';
import { openDependencies } from '../../ledger/statements/dependencies.ts';
import { type HandoffRow, hasHandedDown, selectHandoff, upsertHandoff } from '../../ledger/statements/handoffs.ts';
import { liveRunOf } from '../../ledger/statements/runs.ts';
import { selectTask, updateTaskFields } from '../../ledger/statements/tasks.ts';
import type { Tx } from '../../ledger/tx.ts';
import { beatHolder } from '../run/beat-run.ts';
import { transition } from '../task/transition.ts';
import { isOperatorsWord, logged, type MessageOutcome, type MessageSubject, reject } from './message-outcome.ts';

/** AOF/1, Handoff Protocol: the holder of the parent delegates the child, one level deep at most. */
export function applyHandoffRequest(
  tx: Tx,
  message: HandoffMessage,
  { task, channelRun }: MessageSubject,
): MessageOutcome {
  const parent = selectTask(tx, message.handoff.parentTaskId);
  if (!parent) return rejectDelegation(tx, message, 'parent_not_found');
  const holder = liveRunOf(tx, parent);
  const decision = decideSender(parent, { fromAgent: message.fromAgent, channelRun, holder: holder?.agent ?? null });
  if (decision.kind === 'rejected') return reject(tx, message, decision.reason);
  if (holder?.agent === message.fromAgent) beatHolder(tx, parent, holder);
  const depth = delegationDepth(parent) + 1;
  // The order of two handoffs does not matter: neither a delegated task nor one that delegated may get deeper.
  if (depth + depthBelow(tx, task) > AOF_DELEGATION_DEPTH_MAX || parent.id === task.id)
    return rejectDelegation(tx, message, 'nested_delegation');
  if (message.fromAgent !== OPERATOR && isOfAnother(tx, task, message))
    return reject(tx, message, 'unauthorized_agent');
  const isResent = selectHandoff(tx, task.id)?.request === message.request;
  if (isResent) return { verdict: 'accepted', code: null, events: [], task };
  const child = storeHandoff(tx, message, { task, parent, depth });
  const event = logged(tx, message, { type: 'delegation.requested', payload: message.handoff });
  return { verdict: 'accepted', code: null, events: [event], task: child };
}

/** An agent hands down a child of its task, or a task that has no parent, no other agent and no run yet. */
function isOfAnother(tx: Tx, task: Task, { handoff }: HandoffMessage): boolean {
  const { parentId, routing } = task;
  if (parentId !== null && parentId !== handoff.parentTaskId) return true;
  const owner = liveRunOf(tx, task)?.agent ?? routing.agent;
  return owner !== null && owner !== handoff.toAgent;
}

function rejectDelegation(
  tx: Tx,
  message: HandoffMessage,
  reason: 'parent_not_found' | 'nested_delegation',
): MessageOutcome {
  const event = logged(tx, message, { type: 'delegation.rejected', payload: { reason } });
  return { verdict: 'refused', code: reason, events: [event], task: null };
}

function depthBelow(tx: Tx, task: Task): number {
  return hasHandedDown(tx, task.id) ? 1 : 0;
}

interface Handing {
  readonly task: Task;
  readonly parent: Task;
  readonly depth: number;
}

/** Stores the handoff, and gives the child its parent, agent and depth. */
function storeHandoff(tx: Tx, { handoff, request }: HandoffMessage, { task, parent, depth }: Handing): Task {
  const { wallMs } = tx.moment.now;
  upsertHandoff(tx, {
    taskId: task.id,
    parentId: parent.id,
    fromAgent: handoff.fromAgent,
    toAgent: handoff.toAgent,
    request,
    state: 'requested',
    at: wallMs,
  });
  const child: Task = {
    ...task,
    parentId: task.parentId ?? (handoff.parentTaskId as TaskName),
    routing: { ...task.routing, agent: task.routing.agent ?? handoff.toAgent },
    metadata: { ...task.metadata, delegationDepth: depth },
    revision: task.revision + 1,
    updatedAt: wallMs,
  };
  updateTaskFields(tx, child, openDependencies(tx, task.id));
  return child;
}

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

interface HandoffSubject extends MessageSubject {
  readonly handoff: HandoffRow | null;
}

function accept(tx: Tx, message: HandoffAnswerMessage, { task, handoff }: HandoffSubject): MessageOutcome {
  if (handoff?.state === 'accepted') return { verdict: 'accepted', code: null, events: [], task };
  if (handoff) upsertHandoff(tx, { ...handoff, state: 'accepted' });
  const event = logged(tx, message, { type: 'delegation.accepted', payload: {} });
  return { verdict: 'accepted', code: null, events: [event], task };
}

function refuseHandoff(tx: Tx, message: HandoffAnswerMessage, asked: HandoffSubject): MessageOutcome {
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
