import { splitAddress } from '../../domain/federation/choose-recipients.ts';
import { isRefusal } from '../../domain/refusal.ts';
import type { DeliveredEvent, Injection } from '../../federation/inbox.ts';
import { recipientsOf, selectQueuedBy } from '../../ledger/statements/federation/inbox.ts';
import {
  type ReceivedTask,
  selectReceivedBy,
  upsertReceivedTask,
} from '../../ledger/statements/federation/received-tasks.ts';
import { selectOrder } from '../../ledger/statements/orders.ts';
import type { Tx } from '../../ledger/tx.ts';
import { requestStop } from '../../operations/order/stop-order.ts';
import type { SignalEnvelope, TaskCreateEnvelope } from '../../protocols/runtime/schema/events.ts';
import { answerRefused } from './answer-task.ts';

const DONE: Injection = { isQueued: false };
const REFUSED: Injection = { isQueued: false, isRefused: true };

/** Keeps a task of another node until this node has looked at it. A type that nobody knows is refused. */
export function queueTask({ payload }: TaskCreateEnvelope): Injection {
  return payload.taskType === undefined ? { isQueued: true } : REFUSED;
}

/** The signal by which the sender of a task calls it back (runtime:tasks). */
export const RECALL = 'task_recall';

interface RecallPayload {
  readonly signal?: unknown;
  readonly taskId?: unknown;
  readonly reason?: unknown;
}

export function isRecall({ payload }: SignalEnvelope): boolean {
  const { signal, taskId } = payload as RecallPayload;
  return signal === RECALL && typeof taskId === 'string';
}

/** Stops a task because its sender calls it back; only the node that sent it can. */
export function takeRecall(tx: Tx, { envelope, sender }: DeliveredEvent): Injection {
  const { sourceNodeId: source, corrId = '' } = envelope;
  for (const row of selectQueuedBy(tx, { source, corrId, kind: 'task_create' })) {
    const [agent = sender.nodeId] = recipientsOf(tx, row.eventId);
    answerRefused(tx, {
      sender,
      row,
      agent: splitAddress(agent)[0],
      failureClass: 'policy_blocked',
      message: 'it was called back',
    });
  }
  const received = selectReceivedBy(tx, source, corrId);
  if (received === null || received.state === 'ended') return DONE;
  if (received.taskId === null) upsertReceivedTask(tx, { ...received, state: 'ended' });
  else stopReceived(tx, { ...received, taskId: received.taskId }, (envelope as SignalEnvelope).payload);
  return DONE;
}

function stopReceived(
  tx: Tx,
  { taskId, source }: ReceivedTask & { readonly taskId: NonNullable<ReceivedTask['taskId']> },
  { reason }: RecallPayload,
): void {
  if (selectOrder(tx, taskId)?.isOpen !== true) return;
  const message = `called back by ${source}${typeof reason === 'string' && reason !== '' ? `: ${reason.slice(0, 500)}` : ''}`;
  const stopped = requestStop(tx, { taskId, by: source, why: { code: null, message } });
  if (isRefusal(stopped)) throw new Error(stopped.message);
}
