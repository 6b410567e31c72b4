import { decideSender } from '../domain/decisions/decide-sender.ts';
import { AOF_DELEGATION_DEPTH_MAX } from '../domain/limits.ts';
import { delegationDepth, type Task } from '../domain/task.ts';
import { hasHandedDown, selectHandoff } from '../ledger/statements/handoffs.ts';
import { liveRunOf } from '../ledger/statements/runs.ts';
import { selectTask } from '../ledger/statements/tasks.ts';
import type { Tx } from '../ledger/tx.ts';
import type { HandoffRequest } from '../protocols/aof/schema/messages.ts';
import { beatHolder } from './beat-run.ts';
import { type Heard, logged, type MessageOutcome, reject } from './message-outcome.ts';
import { takeHandoff } from './take-handoff.ts';

/** AOF/1, Handoff Protocol: the holder of the parent hands the child down, one level and no further. */
export function applyHandoffRequest(tx: Tx, message: HandoffRequest, { task, channelRun }: Heard): MessageOutcome {
  const parent = selectTask(tx, message.payload.parentTaskId);
  if (!parent) return rejectDelegation(tx, message, 'parent_not_found');
  const holder = liveRunOf(tx, parent);
  const decision = decideSender(parent, { fromAgent: message.fromAgent, channelRun, holder: holder?.agent ?? null });
  if (decision.kind === 'rejected') return reject(tx, message, decision.reason);
  if (holder?.agent === message.fromAgent) beatHolder(tx, parent, holder);
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

function rejectDelegation(
  tx: Tx,
  message: HandoffRequest,
  reason: 'parent_not_found' | 'nested_delegation',
): MessageOutcome {
  const event = logged(tx, message, { type: 'delegation.rejected', payload: { reason } });
  return { verdict: 'refused', code: reason, events: [event], task: null };
}

function depthBelow(tx: Tx, task: Task): number {
  return hasHandedDown(tx, task.id) ? 1 : 0;
}
