import type { Fix } from '../domain/review/exchange-fact.ts';
import type { Exchange } from '../domain/review/feedback-exchange.ts';
import type { TaskName } from '../domain/task/task.ts';
import { selectOrder } from '../ledger/statements/orders.ts';
import { selectLastFact } from '../ledger/statements/run-facts.ts';
import type { OrderWorld } from '../orders/order-world.ts';
import { readDecisions } from '../protocols/afp/read-decisions.ts';

/** Baton's own checks passed, also with the tests as they were before. */
export function isWorkChecked({ ledger }: OrderWorld, taskId: TaskName): boolean {
  const row = selectOrder(ledger.read, taskId);
  const report = row && selectLastFact(ledger.read, row, 'reported')?.report;
  return report?.verdict === 'checked' && report.oldTests?.result !== 'failed';
}

/** The result of the change of this round; null while it is under way. */
export function fixOf({ ledger }: Pick<OrderWorld, 'ledger'>, { fixing }: Pick<Exchange, 'fixing'>): Fix | null {
  const newest = fixing && selectOrder(ledger.read, fixing.taskId);
  if (!newest) return null;
  const { taskId, round } = { ...newest, round: fixing.orderRound ?? newest.round };
  if (newest.isOpen && newest.round === round) return null;
  const report = selectLastFact(ledger.read, { taskId, round }, 'reported')?.report;
  if (!report) return { verdict: null, message: `${taskId} ended without a report`, changedFiles: 0, decisions: [] };
  const { verdict, message, files, summary, summaryBy } = report;
  // A program may print its decisions beside its answer, or have no other.
  const { lastWords = '' } = selectLastFact(ledger.read, { taskId, round }, 'ended') ?? {};
  return {
    verdict,
    message,
    changedFiles: files.filter(({ status }) => status !== 'unchanged').length,
    decisions:
      [summaryBy === 'agent' ? summary : '', lastWords].map(readDecisions).find(({ length }) => length > 0) ?? [],
  };
}
