import { dirname } from 'node:path';
import type { StatusAnswer } from '../../api/contract.ts';
import type { Calls } from '../../api/node-client.ts';
import type {
  AgentState,
  FinishedTask,
  NeedsYou,
  Overview,
  RunningTask,
  SpendToday,
  WaitingTask,
  WorkSummary,
} from '../../api/overview/overview-contract.ts';
import type { AttentionView } from '../../api/review/review-contract.ts';
import { viewAccount, viewTaskLine, viewVerdict } from '../../api/task/views.ts';
import type { AgentFacts } from '../../domain/agent/agent.ts';
import type { QuotaHold } from '../../domain/agent/quota.ts';
import { lastRun } from '../../domain/execution/execution.ts';
import { changedFileCount } from '../../domain/execution/whole-work.ts';
import type { Report } from '../../domain/order/report.ts';
import { maskWrittenValue } from '../../domain/secrets/mask-written.ts';
import type { RunGlance } from '../../domain/task/run-glance.ts';
import { TASK_TRANSITIONS } from '../../domain/task/task-lifecycle.ts';
import { selectMeta } from '../../ledger/statements/meta.ts';
import { selectOrder } from '../../ledger/statements/orders.ts';
import { selectExecution, selectLastFact } from '../../ledger/statements/run-facts.ts';
import { countToApply, selectToApply } from '../../ledger/statements/task-work.ts';
import { selectTask } from '../../ledger/statements/tasks.ts';
import type { Reader } from '../../ledger/tx.ts';
import type { RunSettings } from '../../orders/run-settings.ts';
import type { Clock } from '../../platform/clock.ts';
import { readReviews } from '../../reviews/read-attention.ts';
import { type ReadParts, SHOWN_IN_STATUS_MAX, statusOf } from '../task/status-call.ts';
import { DayRecord } from './day-record.ts';

export interface OverviewParts extends ReadParts {
  readonly clock: Clock;
  settings(): Pick<RunSettings, 'agents' | 'defaultAgent' | 'dayUsdMax'>;
  glanceAt(runId: string): RunGlance;
  /** The hold on the account of an agent; null while its vendor serves it. */
  holdOf?(agent: AgentFacts): QuotaHold | null;
}

/** Its cost grows with what is open and with what happened since the last call, not with history. */
export function overviewCall(parts: OverviewParts): Pick<Calls, 'overview'> {
  const day = new DayRecord(parts.read, parts.clock);
  return {
    overview: async () => {
      await day.update();
      // All of it in one turn of the event loop: no commit comes between.
      return maskWrittenValue(overviewOf(parts, day));
    },
  };
}

function overviewOf(parts: OverviewParts, day: DayRecord): Overview {
  const { read, clock, dataFolder, glanceAt } = parts;
  const { counts, attention, ...status } = statusOf(parts);
  const needsYou = needsYouOf(read, attention.items);
  const without = new Set(needsYou.filter(({ kind }) => kind !== 'overlap').map(({ task }) => task));
  const finished = finishedTasks(read, { today: day.finished, without, limit: SHOWN_IN_STATUS_MAX });
  const running = status.running.map((task) => viewRunning(read, task, glanceAt(task.run?.id ?? '')));
  return {
    data: dataFolder,
    workspace: dirname(dataFolder),
    at: new Date(clock.now().wallMs).toISOString(),
    project: selectMeta(read, 'project') ?? '',
    lastEvent: day.lastEvent,
    counts,
    moves: TASK_TRANSITIONS,
    spend: spendOf(parts, day),
    agents: agentsOf(parts, running),
    needsYou,
    running,
    waiting: status.waiting.map((task) => viewWaiting(read, task)),
    finished: finished.tasks,
    totals: {
      needsYou: attention.total,
      running: counts['in-progress'] ?? 0,
      waiting: (counts.ready ?? 0) + (counts.backlog ?? 0),
      finished: finished.total,
    },
  };
}

/** A run whose vendor named no model counts for the configured one. */
function spendOf({ settings }: OverviewParts, day: DayRecord): SpendToday {
  const { agents, dayUsdMax } = settings();
  const byModel = day.spend.map((each) => ({
    ...each,
    model: each.model === '' ? (agents.find(({ name }) => name === each.agent)?.model ?? '') : each.model,
  }));
  const usd = byModel.reduce((sum, each) => sum + each.usd, 0);
  return { since: new Date(day.sinceMs).toISOString(), usd, usdMax: dayUsdMax, byModel };
}

function agentsOf({ settings, holdOf }: OverviewParts, running: readonly RunningTask[]): readonly AgentState[] {
  const { agents, defaultAgent } = settings();
  return agents.map((agent) => {
    const { name, driver, model } = agent;
    const hold = holdOf?.(agent) ?? null;
    return {
      name,
      driver,
      model,
      isDefault: name === defaultAgent,
      running: running.filter(({ run }) => run?.agent === name).length,
      outUntil: hold && new Date(hold.until).toISOString(),
      outBecause: hold?.message ?? null,
    };
  });
}

/** The entries of the queue with what a person wants to see before answering. */
function needsYouOf(read: Reader, items: readonly AttentionView[]): readonly NeedsYou[] {
  return items.map((item) => {
    const task = item.task === null ? null : selectTask(read, item.task);
    const hasWork = item.kind === 'review' || item.kind === 'blocked';
    const work = task && hasWork ? summarizeWork(read, task.id) : null;
    const reviews = task && item.kind === 'review' ? readReviews(read, task.id) : [];
    return { ...item, line: task && viewTaskLine(task), work, reviews };
  });
}

interface FinishedList {
  readonly tasks: readonly FinishedTask[];
  /** The number of all, shown or not. */
  readonly total: number;
}

/** Work that waits to be applied, oldest first, then the tasks that ended today, newest first; `without` are shown elsewhere. */
function finishedTasks(
  read: Reader,
  { today, without, limit }: { today: readonly string[]; without: ReadonlySet<string | null>; limit: number },
): FinishedList {
  const toApply = selectToApply(read, limit).map(({ id }) => id as string);
  const all = [...new Set([...toApply, ...today])].filter((id) => !without.has(id));
  const tasks = all.slice(0, limit).flatMap((id) => viewFinished(read, id));
  return { tasks, total: all.length + Math.max(0, countToApply(read) - toApply.length) };
}

function viewFinished(read: Reader, id: string): FinishedTask[] {
  const task = selectTask(read, id);
  const summary = task && summarizeWork(read, task.id);
  return task && summary ? [{ ...viewTaskLine(task), summary }] : [];
}

/** A running task with the attempt that it is in and the time that is left. */
function viewRunning(read: Reader, task: StatusAnswer['running'][number], glance: RunGlance): RunningTask {
  const order = task.run === null ? null : selectOrder(read, task.id);
  const execution = order && selectExecution(read, order);
  const timeoutSeconds = execution?.order.policy.timeoutSeconds ?? null;
  const run = execution && lastRun(execution);
  const started = run?.startedAt;
  const isSent = task.remote?.direction === 'sent';
  return {
    ...task,
    ...glance,
    model: run?.model ?? null,
    endsAt: timeoutSeconds && started && !isSent ? new Date(started + timeoutSeconds * 1_000).toISOString() : null,
    attempt: execution?.attempts.length ?? 1,
    attempts: (execution?.order.policy.retriesMax ?? 0) + 1,
  };
}

/** A waiting task with the open ones that it depends on. */
function viewWaiting(read: Reader, task: StatusAnswer['waiting'][number]): WaitingTask {
  const after = task.waitsFor.flatMap((id) => {
    const needed = selectTask(read, id);
    return needed ? [{ id: needed.id, title: needed.title }] : [];
  });
  return { ...task, after };
}

/** The report of a task's last round in short; null while the round runs, and for a task that Baton gave to no agent. */
function summarizeWork(read: Reader, taskId: string): WorkSummary | null {
  const order = selectOrder(read, taskId);
  const reported = order && !order.isOpen ? selectLastFact(read, order, 'reported') : null;
  return reported && summaryOf(reported.report);
}

function summaryOf(report: Report): WorkSummary {
  const { agent, message, checks, spend, timing, oldTests } = report;
  return {
    agent: agent.name,
    model: agent.model,
    ...viewVerdict(report),
    message,
    account: viewAccount(report),
    checks: { passed: checks.filter(({ after }) => after === 'passed').length, total: checks.length },
    files: changedFileCount(report),
    lines: report.lines ?? null,
    judgingFiles: oldTests?.files ?? [],
    durationMs: Math.max(0, timing.completedAt - timing.startedAt),
    costUsd: spend.costUsd,
    tokens: spend.tokensInput + spend.tokensOutput,
    endedAt: new Date(timing.completedAt).toISOString(),
  };
}
