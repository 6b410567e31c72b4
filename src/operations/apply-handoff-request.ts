import { decideSender } from '../domain/decisions/decide-sender.ts';
import { AOF_DELEGATION_DEPTH_MAX } from '../domain/limits.ts';
import type { Run } from '../domain/run.ts';
import { delegationDepth, type Task, type TaskName } from '../domain/task.ts';
import { openDependencies } from '../ledger/statements/dependencies.ts';
import { hasHandedDown, selectHandoff, upsertHandoff } from '../ledger/statements/handoffs.ts';
import { selectRun } from '../ledger/statements/select-run.ts';
import { selectTask } from '../ledger/statements/select-task.ts';
import { updateRunBeat } from '../ledger/statements/update-run.ts';
import { touchTask, updateTaskFields } from '../ledger/statements/update-task-fields.ts';
import type { Tx } from '../ledger/tx.ts';
import type { HandoffRequest } from '../protocols/aof/schema/handoff-request.ts';
import { beaten } from './beat-run.ts';
import { type Heard, logged, type MessageOutcome, reject } from './message-outcome.ts';

/** AOF/1, Handoff Protocol: the holder of the parent hands the child down, one level and no further. */
export function applyHandoffRequest(tx: Tx, message: HandoffRequest, { task, channelRun }: Heard): MessageOutcome {
  const parent = selectTask(tx, message.payload.parentTaskId);
  if (!parent) return rejectDelegation(tx, message, 'parent_not_found');
  const holder = liveRunOf(tx, parent);
  const decision = decideSender(parent, { fromAgent: message.fromAgent, channelRun, holder: holder?.agent ?? null });
  if (decision.kind === 'rejected') return reject(tx, message, decision.reason);
  if (holder?.agent === message.fromAgent) {
    updateRunBeat(tx, beaten(holder, tx.moment.now));
    if (!tx.touched.has(parent.id)) touchTask(tx, parent);
  }
  const depth = delegationDepth(parent) + 1;
  // Whichever of two handoffs comes first: neither a task that was handed down nor one that handed down gets deeper.
  if (depth + depthBelow(tx, task) > AOF_DELEGATION_DEPTH_MAX || parent.id === task.id)
    return rejectDelegation(tx, message, 'nested_delegation');
  const request = JSON.stringify(message.payload);
  const isResent = selectHandoff(tx, task.id)?.request === request;
  if (isResent) return { verdict: 'accepted', code: null, events: [], task };
  const child = takeHandoff(tx, message, { task, parent, depth });
  const { parentTaskId, fromAgent, toAgent, dueBy } = message.payload;
  const payload = { parentTaskId, fromAgent, toAgent, dueBy };
  const event = logged(tx, message, { type: 'delegation.requested', payload });
  return { verdict: 'accepted', code: null, events: [event], task: child };
}

interface Handing {
  readonly task: Task;
  readonly parent: Task;
  readonly depth: number;
}

function takeHandoff(tx: Tx, { payload }: HandoffRequest, { task, parent, depth }: Handing): Task {
  const { wallMs } = tx.moment.now;
  upsertHandoff(tx, {
    taskId: task.id,
    parentId: parent.id,
    fromAgent: payload.fromAgent,
    toAgent: payload.toAgent,
    request: JSON.stringify(payload),
    state: 'requested',
    at: wallMs,
  });
  const child: Task = {
    ...task,
    parentId: task.parentId ?? (payload.parentTaskId as TaskName),
    routing: { ...task.routing, agent: task.routing.agent ?? payload.toAgent },
    metadata: { ...task.metadata, delegationDepth: depth },
    revision: task.revision + 1,
    updatedAt: wallMs,
  };
  updateTaskFields(tx, child, openDependencies(tx, task.id));
  return child;
}

function rejectDelegation(
  tx: Tx,
  message: HandoffRequest,
  reason: 'parent_not_found' | 'nested_delegation',
): MessageOutcome {
  const event = logged(tx, message, { type: 'delegation.rejected', payload: { reason } });
  return { verdict: 'refused', code: reason, events: [event], task: null };
}

function liveRunOf(tx: Tx, task: Task): Run | null {
  const run = task.runId === null ? null : selectRun(tx, task.runId);
  return run?.status === 'running' ? run : null;
}

function depthBelow(tx: Tx, task: Task): number {
  return hasHandedDown(tx, task.id) ? 1 : 0;
}
