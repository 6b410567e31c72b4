import type { Fact } from '../domain/execution/fact.ts';
import type { LedgerEvent } from '../domain/ledger-event.ts';
import type { RefusalCode } from '../domain/refusal.ts';
import type { Task, TaskName } from '../domain/task.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { hasOpenOrder, selectOrder } from '../ledger/statements/orders.ts';
import { selectFacts } from '../ledger/statements/run-facts.ts';
import type { Tx } from '../ledger/tx.ts';
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

interface Abandonment {
  readonly code?: RefusalCode;
  readonly message: string;
  readonly keepsFiles?: boolean;
}

/** Settles the order of a task that somebody else claimed or moved. Only its report remains to be made. */
export function abandonOrder(tx: Tx, task: Task, { code, message, keepsFiles = false }: Abandonment): LedgerEvent[] {
  if (!hasOpenOrder(tx, task.id)) return [];
  const order = selectOrder(tx, task.id);
  if (!order?.isOpen || selectFacts(tx, order).some(({ kind }) => kind === 'settled')) return [];
  const outcome = { verdict: 'aborted', code: code ?? null, message, attempts: [] } as const;
  const at = tx.moment.now.wallMs;
  return [writeFact(tx, { task, order }, { kind: 'settled', outcome, at, keepsFiles })];
}
