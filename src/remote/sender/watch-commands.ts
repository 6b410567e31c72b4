import { nextStep } from '../../domain/execution/next-step.ts';
import type { UsedCapability } from '../../domain/federation/capability-review.ts';
import { refuse } from '../../domain/refusal.ts';
import type { TaskName } from '../../domain/task/task.ts';
import type { LedgerEvent } from '../../domain/trace/ledger-event.ts';
import { openReview, reviewTask } from '../../federation/capabilities/open-review.ts';
import { appendEvent, type Sender } from '../../federation/outbox.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import { selectExecution } from '../../ledger/statements/run-facts.ts';
import type { Tx } from '../../ledger/tx.ts';
import { orderOf, writeFact } from '../../operations/order/open-order.ts';
import { settle } from '../../operations/order/settle-order.ts';
import { RECALL } from '../receiver/receive-task.ts';
import { stopSending } from './append-task-create.ts';

export interface RecallRequest {
  readonly taskId: TaskName;
  readonly nodes: readonly string[];
  readonly reason: string;
  /** Null on a node that has left its federation: it can tell nobody. */
  readonly sender: Sender | null;
}

interface Written {
  readonly events: readonly LedgerEvent[];
}

/** Calls an order back: the fact and the events for the nodes that have it are one commit. */
export const recallOrder: Command<RecallRequest, Written> = (tx, { taskId, nodes, reason, sender }) => {
  const found = orderOf(tx, taskId);
  if (found.kind === 'refusal') return found;
  const { remote } = selectExecution(tx, found.order);
  if (remote?.recalled) return refuse('stale_run', `${taskId} was called back before`);
  stopSending(tx, taskId);
  if (sender) tellRecall(tx, sender, { uid: found.task.uid, corrId: remote?.sent?.corrId ?? '', nodes, reason });
  return { events: [writeFact(tx, found, { kind: 'recalled', nodes, reason, at: tx.moment.now.wallMs })] };
};

interface Recall {
  readonly uid: string;
  readonly corrId: string;
  readonly nodes: readonly string[];
  readonly reason: string;
}

/** Tells nodes to stop a task of this one, in the transaction that records it. */
function tellRecall(tx: Tx, sender: Sender, { uid, corrId, nodes, reason }: Recall): void {
  const to = nodes.map((node) => ({ agent: node, node, fence: null }));
  const payload = { signal: RECALL, taskId: uid, reason, ...(nodes.length > 1 && { toAgents: nodes }) };
  appendEvent(tx, sender, { kind: 'signal', fromAgent: sender.nodeId, to, corrId, payload });
}

export interface OverdueOrder {
  readonly taskId: TaskName;
  readonly etaAt: number;
  readonly sender: Sender;
}

/** Notes once that an order was not done in time, and opens a review of its capabilities (Runtime §8.1). */
export const noteOverdue: Command<OverdueOrder, Written> = (tx, { taskId, etaAt, sender }) => {
  const found = orderOf(tx, taskId);
  if (found.kind === 'refusal') return found;
  const { remote } = selectExecution(tx, found.order);
  if (remote?.overdue) return refuse('stale_run', `${taskId} is known to be late`);
  const detail = `${taskId} was to be done by ${new Date(etaAt).toISOString()}`;
  reviewTask(tx, found, { agent: remote?.taken?.agent ?? '', failureClass: 'sla_breach', detail, sender });
  return { events: [writeFact(tx, found, { kind: 'overdue', etaAt, at: tx.moment.now.wallMs })] };
};

export interface BroughtResult {
  readonly taskId: TaskName;
  /** The contracts that the result breaks. */
  readonly broken: readonly { readonly capability: UsedCapability; readonly violation: string }[];
  readonly problem: string | null;
  readonly sender: Sender;
}

/** The result of another node was looked at: the order is settled by it, in the same commit. A broken contract opens a review (Runtime §8.3). */
export const recordBrought: Command<BroughtResult, Written> = (tx, { taskId, broken, problem, sender }) => {
  const found = orderOf(tx, taskId);
  if (found.kind === 'refusal') return found;
  const { remote } = selectExecution(tx, found.order);
  if (remote?.brought) return refuse('stale_run', `${taskId} was brought before`);
  const corrIds = [remote?.sent?.corrId ?? ''];
  const about = { failureClass: 'contract_violation', agent: remote?.answered?.agent ?? '', corrIds, sender } as const;
  for (const { capability, violation } of broken) {
    openReview(tx, { ...about, capability, detail: `${taskId}: ${violation}` });
  }
  const violations = broken.map(({ capability, violation }) => `${capability.capabilityId}: ${violation}`);
  const fact = writeFact(tx, found, { kind: 'brought', violations, problem, at: tx.moment.now.wallMs });
  const step = nextStep(selectExecution(tx, found.order));
  return { events: [fact, ...(step.kind === 'settle' ? settle(tx, found, step.outcome).events : [])] };
};
