import type { LedgerEvent } from '../domain/ledger-event.ts';
import type { Task, TaskName } from '../domain/task.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { selectFacts } from '../ledger/statements/run-facts.ts';
import { orderOf, writeFact } from './record-fact.ts';

/** Somebody wants an order to end. Said twice, it is written once. */
export const requestStop: Command<
  { readonly taskId: TaskName; readonly by: string },
  { readonly task: Task; readonly events: readonly LedgerEvent[] }
> = (tx, { taskId, by }) => {
  const found = orderOf(tx, taskId);
  if (found.kind === 'refusal') return found;
  const isSaid = selectFacts(tx, found.order).some(({ kind }) => kind === 'stop-requested');
  const events = isSaid ? [] : [writeFact(tx, found, { kind: 'stop-requested', by })];
  return { task: found.task, events };
};
