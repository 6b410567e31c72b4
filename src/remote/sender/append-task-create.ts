import type { UsedCapability } from '../../domain/federation/capability-review.ts';
import { ENVELOPE_BYTES_MAX } from '../../domain/federation/federation-limits.ts';
import type { Route } from '../../domain/federation/route-task.ts';
import { splitNeed } from '../../domain/federation/route-task.ts';
import { KIB } from '../../domain/limits.ts';
import type { Order } from '../../domain/order/order.ts';
import { type Refusal, refuse } from '../../domain/refusal.ts';
import type { OrderGrant, SentTerms } from '../../domain/remote/sent-terms.ts';
import type { TaskName } from '../../domain/task/task.ts';
import { isoInstant } from '../../federation/envelope.ts';
import { appendEvent, type Sender } from '../../federation/outbox.ts';
import { lastAttempt, selectSent, stopWaiting } from '../../ledger/statements/federation/outbox.ts';
import { selectSentTask } from '../../ledger/statements/federation/sent-tasks.ts';
import type { Tx } from '../../ledger/tx.ts';
import { isLargerThan } from '../../protocols/text-size.ts';

/** A task on its way to other nodes. */
export interface OutgoingTask {
  readonly terms: SentTerms;
  readonly order: Pick<Order, 'objective' | 'priority'>;
  /** The AOP TASK that it is; null for words. */
  readonly aop: object | null;
  readonly title: string;
  readonly grant: OrderGrant;
  /** How many times it was delegated. */
  readonly depth: number;
  readonly routes: readonly Route[];
  readonly capabilities: readonly UsedCapability[];
  /** The content that it works on; null where none goes along. */
  readonly parcel: unknown;
  /** The event of the last time that it was sent; null for the first. */
  readonly before: string | null;
}

/** The rest of an envelope around its payload. */
const ENVELOPE_REST_BYTES = 8 * KIB;

/** Every field of the document, in its order, and Baton's own after them (runtime:tasks). */
function payloadOf(outgoing: OutgoingTask, uid: string, sends: number): object {
  const { terms, order, aop, title, grant, depth, routes, parcel } = outgoing;
  const { deadlineAt } = terms;
  return {
    taskId: uid,
    title,
    description: order.objective,
    toAgents: terms.to.length === 0 ? [] : routes.map(({ agent }) => agent),
    requiredCapabilities: terms.needs.map((need) => splitNeed(need)[0]),
    priority: order.priority,
    requesterAgentId: terms.requester,
    responseRequired: true,
    ...(deadlineAt !== null && { deadlineAt: isoInstant(deadlineAt) }),
    x_order: { ...grant, depth },
    ...(aop !== null && { x_aop: aop }),
    ...(parcel !== null && { x_work: parcel }),
    x_send: sends,
  };
}

/** Refuses a task that is too large for one event. */
export function refuseLargeEvent(outgoing: OutgoingTask): Refusal | null {
  const text = JSON.stringify(payloadOf(outgoing, 'x'.repeat(40), 1));
  if (!isLargerThan(text, ENVELOPE_BYTES_MAX - ENVELOPE_REST_BYTES)) return null;
  const refusal = refuse(
    'payload_too_large',
    `a task for another node has at most ${ENVELOPE_BYTES_MAX} bytes`,
    '/text',
  );
  return { ...refusal, hint: 'put the long part into a file of the workspace' };
}

/** A task that is sent, and the node that sends it. */
export interface Sending {
  readonly sender: Sender;
  readonly outgoing: OutgoingTask;
}

/** Appends the task_create in the transaction that records the task as sent; returns the id of its event. */
export function appendTaskCreate(
  tx: Tx,
  { sender, outgoing }: Sending,
  { uid, corrId, sends }: { readonly uid: string; readonly corrId: string; readonly sends: number },
): string {
  const { routes, terms, before } = outgoing;
  const { eventId } = appendEvent(tx, sender, {
    kind: 'task_create',
    fromAgent: terms.requester,
    to: routes,
    corrId,
    payload: payloadOf(outgoing, uid, sends),
    expiresAt: terms.deadlineAt,
    attempt: nextAttempt(tx, before),
  });
  return eventId;
}

/** Runtime §1.4: an operation that is sent to others is the same operation. */
function nextAttempt(tx: Tx, before: string | null): number {
  const row = before === null ? null : selectSent(tx, before);
  if (row === null) return 1;
  return lastAttempt(tx, row) + 1;
}

/** Nobody is waited for any more: the task has found its agent, has ended, or goes to others. Its task_create is not sent again. */
export function stopSending(tx: Tx, taskId: TaskName): void {
  const eventId = selectSentTask(tx, taskId)?.eventId ?? null;
  if (eventId !== null) stopWaiting(tx, eventId);
}
