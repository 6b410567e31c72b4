import type { DatedActivity } from '../../dispatch/attempt/run-activities.ts';
import type { WorkFact } from '../../domain/execution/work-fact.ts';
import { recordCode } from '../../domain/failure-code.ts';
import type { DayEnd } from '../../domain/notice/day-report.ts';
import { SIGNALS } from '../../domain/order/record-words.ts';
import type { Report } from '../../domain/order/report.ts';
import type { WorkJudgement, WorkVerdict } from '../../domain/order/work-verdict.ts';
import { hintFor } from '../../domain/refusal.ts';
import { withoutDecisions } from '../../domain/review/fix-words.ts';
import { maskValue } from '../../domain/secrets/mask-secrets.ts';
import { maskWritten, maskWrittenValue } from '../../domain/secrets/mask-written.ts';
import type { Question } from '../../domain/task/question.ts';
import { isInterruptedRun, type Run } from '../../domain/task/run.ts';
import type { Task, TaskName } from '../../domain/task/task.ts';
import type { LedgerEvent } from '../../domain/trace/ledger-event.ts';
import type { MessageAnswer } from '../../messages/received.ts';
import { encodeEvent } from '../../protocols/aop/encode-event.ts';
import type { ActivityView, EventView, RunView, SendAnswer, TaskLine } from '../contract.ts';
import type { HandledWork, ReportSummary } from '../order/order-contract.ts';
import type { VerdictView } from '../order/verdict-view.ts';
import type { ReportedEnd } from '../overview/report-contract.ts';
import type { QuestionView } from '../review/talk-contract.ts';
import { traceMessagesOf } from '../trace/trace-views.ts';
import type { TaskView } from './task-view.ts';

export function viewTask(task: Task): TaskView {
  return {
    id: task.id,
    uid: task.uid,
    title: maskWritten(task.title),
    status: task.status,
    priority: task.priority,
    agent: task.routing.agent,
    role: task.routing.role,
    team: task.routing.team,
    tags: task.routing.tags,
    resource: task.resource,
    parentId: task.parentId,
    dependsOn: task.dependsOn,
    runId: task.runId,
    work: task.work,
    createdAt: instant(task.createdAt),
    updatedAt: instant(task.updatedAt),
    lastTransitionAt: instant(task.lastTransitionAt),
    createdBy: task.createdBy,
    revision: task.revision,
    metadata: maskWrittenValue(task.metadata),
    body: maskWritten(task.body),
  };
}

export function viewTaskLine(task: Task): TaskLine {
  const { body: _body, metadata: _metadata, ...line } = viewTask(task);
  return line;
}

/** Every answer of the node has its verdict from here. */
export function viewVerdict<Verdict extends WorkVerdict | null>({
  verdict,
  isSkipped,
  stoppedBy = null,
}: Omit<WorkJudgement<Verdict>, 'stoppedBy'> & Partial<WorkJudgement<Verdict>>): VerdictView<Verdict> {
  return {
    verdict,
    isSkipped,
    stoppedBy,
    signal: (verdict && SIGNALS[verdict as WorkVerdict]) as VerdictView<Verdict>['signal'],
    isUnchecked: verdict === 'unchecked',
    isStopped: stoppedBy !== null,
  };
}

/** The end of an order in the report of a day. */
export function viewEnd(end: DayEnd): ReportedEnd {
  const { task, title, agent, sessionId, code, message, work, spend, completedAt } = end;
  const costUsd = spend.reduce((total, each) => total + each.costUsd, 0);
  const endedAt = new Date(completedAt).toISOString();
  const told = maskWrittenValue({ title, message });
  return {
    id: task,
    ...told,
    agent,
    sessionId,
    ...viewVerdict(end),
    code: code && recordCode(code),
    work,
    costUsd,
    endedAt,
  };
}

/** The agent's own account of its work; null where it gave none. */
export function viewAccount({ summary, summaryBy }: Pick<Report, 'summary' | 'summaryBy'>): string | null {
  return summaryBy === 'agent' ? withoutDecisions(summary) : null;
}

export function viewSummary(report: Report): ReportSummary {
  const { run, code, message, commits, spend, timing, warnings } = report;
  return {
    run,
    code: code && recordCode(code),
    message,
    commits,
    hint: code === null ? null : hintFor(code, report.task),
    account: viewAccount(report),
    warnings,
    durationMs: Math.max(0, timing.completedAt - timing.startedAt),
    runs: timing.retries + 1,
    costUsd: spend.costUsd,
    tokens: spend.tokensInput + spend.tokensOutput,
  };
}

export function viewEvent(event: LedgerEvent): EventView {
  const { seq, type, at, actor, taskId, runId, sessionId, payload } = event;
  const ordered = encodeEvent(event);
  const messages = ordered === null ? traceMessagesOf(event) : [ordered];
  return {
    eventId: seq,
    type,
    timestamp: instant(at),
    actor,
    taskId,
    runId,
    sessionId,
    payload: maskValue(withMessages(payload, messages)),
  };
}

/** One message, or the messages of lines that came together. */
function withMessages(payload: EventView['payload'], messages: readonly object[]): EventView['payload'] {
  if (messages.length === 0) return payload;
  return messages.length === 1 ? { ...payload, message: messages[0] } : { ...payload, messages };
}

export function viewHandledWork({ kind, by, folder, branch, files, beside = [], at }: WorkFact): HandledWork {
  return { kind, by, folder, branch, files: files.length, beside, at: instant(at) };
}

/** The answer to a message that the node received. */
export function viewReceived({ events, task, feedback: _, ...answer }: MessageAnswer): SendAnswer {
  return { ...answer, events: events.map(viewEvent), task: task && viewTask(task) };
}

const INSTANTS_CACHED_MAX = 64;
const instants = new Map<number, string>();

/** Cached: the answers of one commit share their instants. */
function instant(wallMs: number): string {
  const known = instants.get(wallMs);
  if (known !== undefined) return known;
  if (instants.size === INSTANTS_CACHED_MAX) instants.clear();
  const text = new Date(wallMs).toISOString();
  instants.set(wallMs, text);
  return text;
}

/** The sight that a node has of runs which it carries; a process that only looks has none. */
export interface RunSight {
  /** Whether this node runs the order of a task now. */
  isDriven?(taskId: TaskName): boolean;
  /** Whether this node runs the tasks of a session. */
  isSessionCarried?(sessionId: string): boolean;
  /** The activity of a run whose agent this node started. */
  activityOf?(runId: string): DatedActivity | null;
}

/** A run as it is now: without a node that runs it, it is interrupted. */
export function viewRunNow(run: Run, { isDriven = () => false, activityOf = () => null }: RunSight): RunView {
  const activity = run.endedAt === null ? activityOf(run.id) : null;
  return viewRun(run, {
    isDriven: isDriven(run.taskId),
    activity: activity && { ...activity, since: instant(activity.since) },
  });
}

interface RunNow {
  readonly isDriven: boolean;
  readonly activity: ActivityView | null;
}

export function viewRun(run: Run, { isDriven, activity }: RunNow = { isDriven: true, activity: null }): RunView {
  const isCarried = run.process !== null;
  return {
    id: run.id,
    fence: run.fence,
    agent: run.agent,
    status: run.status,
    startedAt: instant(run.startedAt),
    expiresAt: instant(run.leaseExpiresAt),
    lastBeatAt: instant(run.lastBeatAt),
    heartbeatExpiresAt: instant(run.heartbeatExpiresAt),
    beats: run.beats,
    endedAt: run.endedAt === null ? null : instant(run.endedAt),
    outcome: run.result?.outcome ?? null,
    outcomeBy: run.result?.agent ?? null,
    isCarried,
    isInterrupted: isInterruptedRun(run, isDriven),
    activity,
  };
}

export function viewQuestion({ defaultOption, askedAt, deadlineAt, answer, ...question }: Question): QuestionView {
  return {
    ...question,
    default: defaultOption,
    askedAt: instant(askedAt),
    deadlineAt: deadlineAt === null ? null : instant(deadlineAt),
    answer: answer && { answer: answer.option, by: answer.by, reason: answer.reason, at: instant(answer.at) },
  };
}
