import type { Calls } from '../../api/node-client.ts';
import { viewEnd } from '../../api/task/views.ts';
import { agentStats } from '../../domain/agent/agent-stats.ts';
import type { ModelUsage } from '../../domain/agent/model-spend.ts';
import { spendByModel } from '../../domain/execution/make-report.ts';
import { EVENTS_PER_PAGE_MAX, REPORTED_ORDERS_MAX, SESSIONS_PER_PAGE_MAX } from '../../domain/limits.ts';
import { makeDayReport } from '../../domain/notice/day-report.ts';
import { usdBy } from '../../domain/session/session-report.ts';
import { selectEventsThat } from '../../ledger/statements/events.ts';
import { selectBegunOrders, selectOrder } from '../../ledger/statements/orders.ts';
import { selectNewestReports, selectReportsSince } from '../../ledger/statements/reports.ts';
import { selectExecution } from '../../ledger/statements/run-facts.ts';
import { selectSessionPage } from '../../ledger/statements/sessions.ts';
import { selectToApply } from '../../ledger/statements/task-work.ts';
import { countByStatus } from '../../ledger/statements/tasks.ts';
import type { Reader } from '../../ledger/tx.ts';
import { viewSessionLine } from '../session/session-views.ts';
import { attentionOf } from '../task/attention-calls.ts';
import type { ReadParts } from '../task/status-call.ts';

/** Sums over ended orders: those since an instant, and those of each agent. */
export function reportCalls(parts: ReadParts) {
  return {
    dayReport: reportCall(parts),
    agentStats: async () => ({ stats: [...agentStats(selectNewestReports(parts.read, REPORTED_ORDERS_MAX))] }),
  } satisfies Partial<Calls>;
}

/** The report of the time since an instant. Its cost grows with what ended since, not with the history before. */
function reportCall(parts: ReadParts): Calls['dayReport'] {
  const { read } = parts;
  return async ({ since, until }) => {
    const sinceMs = Date.parse(since);
    const { done, unproven, notDone, costUsd, models } = makeDayReport(
      selectReportsSince(read, sinceMs, REPORTED_ORDERS_MAX),
      openSpend(read, sinceMs),
    );
    const counts = countByStatus(read);
    const sum = (key: 'tokensInput' | 'tokensOutput') => models.reduce((total, spend) => total + spend[key], 0);
    const sessions = selectSessionPage(read, { before: Number.MAX_SAFE_INTEGER, limit: SESSIONS_PER_PAGE_MAX })
      .map(({ session }) => viewSessionLine(parts, session))
      .filter(
        ({ created_at: from, ended_at: to }) => to === null || Math.max(Date.parse(from), Date.parse(to)) >= sinceMs,
      );
    return {
      since,
      until,
      done: done.map(viewEnd),
      unproven: unproven.map(viewEnd),
      notDone: notDone.map(viewEnd),
      running: counts['in-progress'] ?? 0,
      waiting: (counts.ready ?? 0) + (counts.backlog ?? 0),
      sessions,
      cost: {
        usd: costUsd,
        tokensInput: sum('tokensInput'),
        tokensOutput: sum('tokensOutput'),
        byProvider: usdBy('provider', models),
        byModel: usdBy('model', models),
      },
      asleepMs: asleepSince(read, sinceMs),
      attention: attentionOf(read, parts),
      toApply: selectToApply(read, SESSIONS_PER_PAGE_MAX).map(({ id }) => id),
    };
  };
}

/** The spend of runs that ended since, of orders that are not over: paused ones, and those between two runs. */
function openSpend(read: Reader, sinceMs: number): readonly ModelUsage[] {
  return selectBegunOrders(read, REPORTED_ORDERS_MAX).flatMap((taskId) => {
    const order = selectOrder(read, taskId);
    if (order === null) return [];
    const execution = selectExecution(read, order);
    const attempts = execution.attempts.filter(({ ended }) => ended !== null && ended.at >= sinceMs);
    return spendByModel({ ...execution, attempts });
  });
}

function asleepSince(read: Reader, sinceMs: number): number {
  const filter = { taskId: null, runId: null, sessionId: null, types: ['machine.slept' as const], sinceMs };
  const events = selectEventsThat(read, filter, { after: 0, limit: EVENTS_PER_PAGE_MAX });
  return events.reduce((total, { payload }) => total + Number(payload.ms ?? 0), 0);
}
