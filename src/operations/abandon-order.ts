import type { LedgerEvent } from '../domain/ledger-event.ts';
import type { Task } from '../domain/task.ts';
import { hasOpenOrder, selectOrder } from '../ledger/statements/orders.ts';
import { selectFacts } from '../ledger/statements/run-facts.ts';
import type { Tx } from '../ledger/tx.ts';
import { writeFact } from './record-fact.ts';

/** A person took the task out of the dispatcher's hands: its order is settled as it stands, and only reported. */
export function abandonOrder(tx: Tx, task: Task, by: string): LedgerEvent[] {
  if (!hasOpenOrder(tx, task.id)) return [];
  const order = selectOrder(tx, task.id);
  if (!order?.isOpen || selectFacts(tx, order).some(({ kind }) => kind === 'settled')) return [];
  const message = `moved by ${by}`;
  const outcome = { signal: 'ABORTED', isUnchecked: false, code: null, message, attempts: [] } as const;
  return [writeFact(tx, { task, order }, { kind: 'settled', outcome, at: tx.moment.now.wallMs })];
}
