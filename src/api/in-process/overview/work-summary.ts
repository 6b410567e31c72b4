import type { Report } from '../../../domain/report.ts';
import { selectOrder } from '../../../ledger/statements/orders.ts';
import { selectLastFact } from '../../../ledger/statements/run-facts.ts';
import type { Reader } from '../../../ledger/tx.ts';
import type { WorkSummary } from '../../overview-contract.ts';

/** The report of a task's last round in short; null while it goes on, and for a task that Baton gave to no agent. */
export function summarizeWork(read: Reader, taskId: string): WorkSummary | null {
  const order = selectOrder(read, taskId);
  const reported = order && !order.isOpen ? selectLastFact(read, order, 'reported') : null;
  return reported && summaryOf(reported.report);
}

function summaryOf(report: Report): WorkSummary {
  const { agent, verdict, isUnchecked, message, summary, summaryBy, checks, files, spend, timing, oldTests } = report;
  return {
    agent: agent.name,
    model: agent.model,
    signal: verdict,
    isUnchecked,
    isStopped: verdict === 'ABORTED',
    message,
    account: summaryBy === 'agent' ? summary : null,
    checks: { passed: checks.filter(({ after }) => after === 'passed').length, total: checks.length },
    files: files.filter(({ status }) => status !== 'UNCHANGED').length,
    lines: report.lines ?? null,
    judgingFiles: oldTests?.files ?? [],
    durationMs: Math.max(0, timing.completedAt - timing.startedAt),
    costUsd: spend.costUsd,
    tokens: spend.tokensInput + spend.tokensOutput,
    endedAt: new Date(timing.completedAt).toISOString(),
  };
}
