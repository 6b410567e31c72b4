import type { LedgerEvent } from '../domain/ledger-event.ts';
import type { RefusalCode } from '../domain/refusal.ts';
import type { Task } from '../domain/task.ts';
import { hasOpenOrder, selectOrder } from '../ledger/statements/orders.ts';
import { selectFacts } from '../ledger/statements/run-facts.ts';
import type { Tx } from '../ledger/tx.ts';
import { writeFact } from './record-fact.ts';

export interface Abandonment {
  readonly code?: RefusalCode;
  readonly message: string;
  readonly keepsFiles?: boolean;
}

/** Settles the order of a task that was taken away from the dispatcher; only its report remains to be made. */
export function abandonOrder(tx: Tx, task: Task, { code, message, keepsFiles = false }: Abandonment): LedgerEvent[] {
  if (!hasOpenOrder(tx, task.id)) return [];
  const order = selectOrder(tx, task.id);
  if (!order?.isOpen || selectFacts(tx, order).some(({ kind }) => kind === 'settled')) return [];
  const outcome = { signal: 'ABORTED', isUnchecked: false, code: code ?? null, message, attempts: [] } as const;
  const at = tx.moment.now.wallMs;
  return [writeFact(tx, { task, order }, { kind: 'settled', outcome, at, keepsFiles })];
}
