import { isRefusal } from '../../domain/refusal.ts';
import { decideClaim } from '../../domain/task/decide-claim.ts';
import type { TaskName } from '../../domain/task/task.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import { insertFact } from '../../ledger/statements/run-facts.ts';
import { type ClaimedTask, readWaits, startRun } from '../run/start-run.ts';
import { orderOf } from './open-order.ts';

export interface LeaseRequest {
  readonly taskId: TaskName;
  readonly agent: string;
  readonly alternative: number | null;
}

/** The lease of an order's next attempt: the run, the move and the fact in one commit. */
export const leaseOrder: Command<LeaseRequest, ClaimedTask> = (tx, { taskId, agent, alternative }) => {
  const found = orderOf(tx, taskId);
  if (found.kind === 'refusal') return found;
  const decision = decideClaim(found.task, { agent, ...readWaits(tx, found.task) });
  if (isRefusal(decision)) return decision;
  const claimed = startRun(tx, found.task, { agent, process: null, reason: 'started', actor: 'dispatcher' });
  const at = tx.moment.now.wallMs;
  insertFact(tx, found.order, { kind: 'leased', runId: claimed.run.id, agent, alternative, at });
  return claimed;
};
