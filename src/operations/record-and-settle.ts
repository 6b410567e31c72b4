import type { LedgerEvent } from '../domain/ledger-event.ts';
import { isRefusal } from '../domain/refusal.ts';
import type { Task } from '../domain/task.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { type FactReport, recordFact } from './record-fact.ts';
import { type Settlement, settleOrder } from './settle-order.ts';

export interface LastFact {
  readonly report: FactReport;
  readonly settlement: Settlement;
}

/** The fact that ends the doing, and the last word that follows from it alone: nothing happens between the two. */
export const recordAndSettle: Command<LastFact, { readonly task: Task; readonly events: readonly LedgerEvent[] }> = (
  tx,
  { report, settlement },
) => {
  const recorded = recordFact(tx, report);
  if (isRefusal(recorded)) return recorded;
  const settled = settleOrder(tx, settlement);
  if (isRefusal(settled)) throw new Error(`${settlement.taskId}: a fact was kept and its order is gone`);
  return { task: settled.task, events: [...recorded.events, ...settled.events] };
};
