import type { Fact, Outcome } from '../../domain/execution/fact.ts';
import type { FailureCode } from '../../domain/refusal.ts';
import type { Task, TaskName } from '../../domain/task/task.ts';
import type { LedgerEvent } from '../../domain/trace/ledger-event.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import { hasOpenOrder, selectOrder } from '../../ledger/statements/orders.ts';
import { selectFacts } from '../../ledger/statements/run-facts.ts';
import type { Tx } from '../../ledger/tx.ts';
import { orderOf, writeFact } from './open-order.ts';

export interface StopRequest extends Pick<StopFact, 'by' | 'why'> {
  readonly taskId: TaskName;
}

type StopFact = Extract<Fact, { readonly kind: 'stop-requested' }>;

/** Requests that an order stops. A second request writes nothing. */
export const requestStop: Command<StopRequest, { readonly task: Task; readonly events: readonly LedgerEvent[] }> = (
  tx,
  { taskId, by, why },
) => {
  const found = orderOf(tx, taskId);
  if (found.kind === 'refusal') return found;
  const isRequested = selectFacts(tx, found.order).some(({ kind }) => kind === 'stop-requested');
  const request = { kind: 'stop-requested', by, ...(why && { why }) } as const;
  const events = isRequested ? [] : [writeFact(tx, found, request)];
  return { task: found.task, events };
};

interface Abandonment extends Pick<Outcome, 'message' | 'stoppedBy'> {
  readonly code?: FailureCode;
  readonly keepsFiles?: boolean;
}

/** Settles the order of a task that somebody else claimed or moved. Only its report remains to be made. */
export function abandonOrder(tx: Tx, task: Task, abandonment: Abandonment): LedgerEvent[] {
  if (!hasOpenOrder(tx, task.id)) return [];
  const order = selectOrder(tx, task.id);
  const kinds = order?.isOpen ? selectFacts(tx, order).map(({ kind }) => kind) : [];
  if (!order?.isOpen || kinds.includes('settled')) return [];
  const { code = null, message, stoppedBy, keepsFiles = false } = abandonment;
  const isSkipped = code === 'dependency-failed' && !kinds.includes('leased') && !kinds.includes('unanswered');
  const outcome = {
    verdict: 'aborted',
    code,
    message,
    attempts: [],
    ...(stoppedBy !== undefined && { stoppedBy }),
    ...(isSkipped && { isSkipped }),
  } as const;
  const at = tx.moment.now.wallMs;
  return [writeFact(tx, { task, order }, { kind: 'settled', outcome, at, keepsFiles })];
}
