import { nextStep } from '../../domain/execution/next-step.ts';
import { refuse } from '../../domain/refusal.ts';
import type { TaskName } from '../../domain/task/task.ts';
import type { LedgerEvent } from '../../domain/trace/ledger-event.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import { selectExecution } from '../../ledger/statements/run-facts.ts';
import type { Tx } from '../../ledger/tx.ts';
import { orderOf, writeFact } from '../order/open-order.ts';
import { settle } from '../order/settle-order.ts';

export interface RecallRequest {
  readonly taskId: TaskName;
  readonly nodes: readonly string[];
  readonly reason: string;
  /** Tells each of the nodes to stop, in the open transaction. */
  tell(tx: Tx): void;
}

interface Written {
  readonly events: readonly LedgerEvent[];
}

/** Calls an order back: the fact and the events for the nodes that have it are one commit. */
export const recallOrder: Command<RecallRequest, Written> = (tx, { taskId, nodes, reason, tell }) => {
  const found = orderOf(tx, taskId);
  if (found.kind === 'refusal') return found;
  if (selectExecution(tx, found.order).remote?.recalled) return refuse('stale_run', `${taskId} was called back before`);
  tell(tx);
  return { events: [writeFact(tx, found, { kind: 'recalled', nodes, reason, at: tx.moment.now.wallMs })] };
};

export interface OverdueOrder {
  readonly taskId: TaskName;
  readonly etaAt: number;
  /** Opens reviews, in the open transaction. */
  review(tx: Tx): void;
}

/** Notes once that an order was not done in time. */
export const noteOverdue: Command<OverdueOrder, Written> = (tx, { taskId, etaAt, review }) => {
  const found = orderOf(tx, taskId);
  if (found.kind === 'refusal') return found;
  if (selectExecution(tx, found.order).remote?.overdue) return refuse('stale_run', `${taskId} is known to be late`);
  review(tx);
  return { events: [writeFact(tx, found, { kind: 'overdue', etaAt, at: tx.moment.now.wallMs })] };
};

export interface BroughtResult {
  readonly taskId: TaskName;
  readonly violations: readonly string[];
  readonly problem: string | null;
  /** Opens reviews, in the open transaction. */
  review(tx: Tx): void;
}

/** The result of another node was looked at: the order is settled by it, in the same commit. */
export const recordBrought: Command<BroughtResult, Written> = (tx, { taskId, violations, problem, review }) => {
  const found = orderOf(tx, taskId);
  if (found.kind === 'refusal') return found;
  if (selectExecution(tx, found.order).remote?.brought) return refuse('stale_run', `${taskId} was brought before`);
  review(tx);
  const fact = writeFact(tx, found, { kind: 'brought', violations, problem, at: tx.moment.now.wallMs });
  const step = nextStep(selectExecution(tx, found.order));
  return { events: [fact, ...(step.kind === 'settle' ? settle(tx, found, step.outcome).events : [])] };
};
