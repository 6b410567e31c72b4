import type { Execution } from '../../domain/execution/execution.ts';
import { workAfterReport } from '../../domain/execution/recorded-changes.ts';
import { PROCESSED_SLA_GRACE_SECONDS } from '../../domain/federation/federation-limits.ts';
import type { Report } from '../../domain/order/report.ts';
import { type Refusal, refuse } from '../../domain/refusal.ts';
import { receiverName } from '../../domain/remote/sent-terms.ts';
import type { Task, TaskName } from '../../domain/task/task.ts';
import type { LedgerEvent } from '../../domain/trace/ledger-event.ts';
import { insertEvent } from '../../ledger/statements/events.ts';
import { insertCapabilityUse } from '../../ledger/statements/federation/capability-reviews.ts';
import { closeSentTask } from '../../ledger/statements/federation/sent-tasks.ts';
import { closeOrder, type OrderRow, selectOrder } from '../../ledger/statements/orders.ts';
import { insertReport, type ReportRow } from '../../ledger/statements/reports.ts';
import { insertFact, selectExecution } from '../../ledger/statements/run-facts.ts';
import { updateTaskWork } from '../../ledger/statements/task-work.ts';
import { selectTask } from '../../ledger/statements/tasks.ts';
import type { Tx } from '../../ledger/tx.ts';
import { EVENT_OF, type LoggedFact, payloadOf } from './event-of-fact.ts';

export type OrderedTask = { readonly kind: 'ordered'; readonly task: Task; readonly order: OrderRow };

/** A task with an order that is not reported yet. */
export function orderOf(tx: Tx, taskId: TaskName): OrderedTask | Refusal {
  const task = selectTask(tx, taskId);
  if (!task) return refuse('task_not_found', `there is no task ${taskId}`);
  const order = selectOrder(tx, taskId);
  if (!order?.isOpen) {
    const hint = 'baton status shows what runs and waits';
    return { ...refuse('not_running', `${taskId} is not running`), hint };
  }
  return { kind: 'ordered', task, order };
}

/** Ends a round with its report. The work of a worktree waits from now on. */
export function closeRound(tx: Tx, { task, order }: Omit<OrderedTask, 'kind'>, report: Report): void {
  closeOrder(tx, order);
  const execution = selectExecution(tx, order);
  insertReport(tx, order, endOf(execution, report));
  if (execution.remote !== null) closeSent(tx, { order, execution, report });
  const work = workAfterReport(execution);
  if (work !== task.work) updateTaskWork(tx, { ...task, work });
}

interface SentEnd {
  readonly order: OrderRow;
  readonly execution: Execution;
  readonly report: Report;
}

/** The experience with each capability that the task needed. Work that was stopped here says nothing about it. */
function closeSent(tx: Tx, { order, execution, report }: SentEnd): void {
  closeSentTask(tx, order);
  const { sent, taken, answered, overdue } = execution.remote ?? {};
  if (report.verdict === 'aborted' || !sent) return;
  const { node = '', agent = '' } = taken ?? answered ?? {};
  const lateAt = taken ? taken.etaAt + PROCESSED_SLA_GRACE_SECONDS * 1_000 : 0;
  const isEtaKept = taken ? !overdue && (answered?.at ?? tx.moment.now.wallMs) < lateAt : null;
  for (const { capabilityId } of sent.capabilities) {
    const use = { capabilityId, agent, node, verdict: report.verdict, isEtaKept, costUsd: report.spend.costUsd };
    insertCapabilityUse(tx, use, order);
  }
}

function endOf({ order, snapshotted }: Execution, report: Report): ReportRow {
  const { agent, verdict, isSkipped, stoppedBy = null, code, message, timing, spend, run } = report;
  const { costUsd, tokensInput, tokensOutput, estimatedUsd } = spend;
  const { provider, model } = agent;
  return {
    agent: agent.name,
    category: order.category ?? null,
    repository: snapshotted?.repository?.root ?? order.workspaceRoot,
    verdict,
    isSkipped,
    stoppedBy,
    code,
    message,
    attempts: run === null ? 0 : timing.retries + 1,
    startedAt: timing.startedAt,
    completedAt: timing.completedAt,
    estimatedUsd,
    spend: report.spendByModel ?? [{ provider, model, costUsd, tokensInput, tokensOutput }],
  };
}

/** The fact and its event, in the open transaction. */
export function writeFact(tx: Tx, { task, order }: Omit<OrderedTask, 'kind'>, fact: LoggedFact): LedgerEvent {
  insertFact(tx, order, fact);
  const actor = 'by' in fact ? fact.by : 'node' in fact ? receiverName(fact) : 'dispatcher';
  const runId = 'runId' in fact ? fact.runId : task.runId;
  return insertEvent(tx, { type: EVENT_OF[fact.kind], actor, taskId: task.id, runId, payload: payloadOf(fact, order) });
}
