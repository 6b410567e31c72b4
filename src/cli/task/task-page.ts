import type { HeldTask, RunView, StatusAnswer, TaskDetail, TaskLine } from '../../api/contract.ts';
import type { OrderReport } from '../../api/order/order-contract.ts';
import type { TaskListRequest } from '../../api/requests.ts';
import type { TaskView } from '../../api/task/task-view.ts';
import { DISPATCHER } from '../../domain/task/decide-sender.ts';
import type { TaskStatus } from '../../domain/task/task-lifecycle.ts';
import { counted } from '../../domain/words/counted.ts';
import type { WorkState } from '../../domain/work/work-state.ts';
import type { Style } from '../output/style.ts';
import { secondText, timeText } from '../output/time-text.ts';
import { verdictText } from '../output/verdict-text.ts';
import { visible, visibleLines } from '../output/visible.ts';
import { activityText } from '../trace/activity-text.ts';
import { staleText } from '../work/receipt-text.ts';
import { reasonText, waitText } from './reason-text.ts';
import { remoteText } from './remote-text.ts';

const STATUS_WIDTH = 'in-progress'.length;
const PRIORITY_WIDTH = 'critical'.length;
const LABEL_WIDTH = 'depends on'.length;

/** One line of a list; `agentWidth` aligns the titles. */
export function taskLine(task: TaskView, style: Style, agentWidth: number): string {
  const agent = visible(task.agent ?? '-').padEnd(agentWidth);
  const columns = [
    style.strong(task.id),
    statusText(task.status, style, STATUS_WIDTH),
    priorityText(task, style).padEnd(PRIORITY_WIDTH),
    task.agent === null ? style.faint(agent) : agent,
    `${visible(task.title)}${task.work === null ? '' : style.faint(` (${task.work === 'waiting' ? 'to be applied' : task.work})`)}`,
  ];
  return columns.join('  ');
}

function priorityText({ priority }: TaskView, style: Style): string {
  const text = priority.padEnd(PRIORITY_WIDTH);
  if (priority === 'critical') return style.bad(text);
  return priority === 'high' ? style.strong(text) : style.faint(text);
}

/** The page of one task. */
export function taskPage(task: TaskDetail, style: Style): string {
  const rows = rowsOf(task, style).filter(([, value]) => value !== null);
  const facts = rows.map(([label, value]) => `${style.faint(label.padEnd(LABEL_WIDTH))}  ${value}`);
  const runs = task.runs.length === 0 ? [] : ['', style.strong('Runs'), ...runLines(task.runs, style)];
  const body = task.body.trim() === '' ? [] : ['', visibleLines(task.body.trimEnd())];
  return [taskTitle(task, style), ...facts, ...runs, ...body].join('\n');
}

type Row = readonly [label: string, value: string | null];

function rowsOf(task: TaskDetail, style: Style): readonly Row[] {
  const since = `since ${timeText(task.lastTransitionAt, style.nowMs)}`;
  const list = (items: readonly string[]) => (items.length === 0 ? null : visible(items.join(', ')));
  const text = (value: string | null) => (value === null ? null : visible(value));
  return [
    ['status', `${statusText(task.status, style)} ${since}${interruptedNote(task, style)}${workNote(task, style)}`],
    ['reason', reasonText(task)],
    ['waits', waitText(task, style.nowMs)],
    ['elsewhere', remoteRow(task, style.nowMs)],
    ['priority', task.priority],
    ['agent', agentOf(task)],
    ['role', text(task.role)],
    ['tags', list(task.tags)],
    ['resource', text(task.resource)],
    ['part of', task.parentId],
    ['depends on', list(task.dependsOn)],
    ['review', task.metadata.reviewRequired === false ? 'not required' : 'required'],
    ['created', `${secondText(task.createdAt)} by ${visible(task.createdBy)}`],
    ['file', task.file],
  ];
}

/** A task that waits to be accepted is told as waiting. */
function remoteRow({ remote }: TaskDetail, nowMs: number): string | null {
  const isWaiting = remote?.direction === 'sent' && remote.node === null;
  if (remote === null || isWaiting) return null;
  const theirs = remote.theirTask === null ? '' : ` (${visible(remote.theirTask)} there)`;
  return `${remoteText(remote, nowMs)}${theirs}`;
}

const WORK_NOTES: Readonly<Record<WorkState, string>> = {
  waiting: 'its work waits to be applied',
  applied: 'its work was applied',
  undone: 'its work was undone',
  discarded: 'its work was discarded',
  continued: 'a later task continues its work',
};

function workNote({ work }: Pick<TaskView, 'work'>, style: Style): string {
  return work === null ? '' : `; ${style.open(WORK_NOTES[work])}`;
}

function interruptedNote({ runs }: TaskDetail, style: Style): string {
  const isInterrupted = runs.some((run) => run.isInterrupted);
  return isInterrupted ? `; ${style.open('interrupted')}: no node runs it` : '';
}

function agentOf({ agent, runs, remote }: TaskDetail): string {
  const holder = runs.find(({ status }) => status === 'running')?.agent;
  const there = remote?.direction === 'sent' ? remote.agent : null;
  const named = agent ?? there;
  if (named !== null) return visible(named);
  return holder === undefined ? 'nobody yet' : `${visible(holder)} (claimed it)`;
}

/** TASK-… and its title, as part of a sentence. */
export function taskTitle({ id, title }: Pick<TaskLine, 'id' | 'title'>, style: Style): string {
  return `${style.strong(id)}  ${visible(title)}`;
}

export function statusText(status: TaskStatus, style: Style, width = 0): string {
  const text = status.padEnd(width);
  if (status === 'done') return style.good(text);
  if (status === 'blocked' || status === 'deadletter') return style.bad(text);
  if (status === 'review' || status === 'in-progress') return style.open(text);
  return status === 'cancelled' ? style.faint(text) : text;
}

export function taskIsNow(task: TaskLine, style: Style): string {
  return `${style.strong(task.id)} is ${statusText(task.status, style)} now  ${visible(task.title)}`;
}

export function taskWaits(task: TaskLine, style: Style): string {
  return `${style.strong(task.id)} waits for ${task.dependsOn.join(', ')}`;
}

/** The runs of a task, oldest first, one a line. */
function runLines(runs: readonly RunView[], style: Style): readonly string[] {
  const agentWidth = Math.max(...runs.map(({ agent }) => agent.length));
  return runs.map((run) => {
    const times = `${timeText(run.startedAt, style.nowMs)} to ${run.endedAt === null ? 'now' : timeText(run.endedAt, style.nowMs)}`;
    const said = run.activity === null ? saidText(run) : activityText(run.activity, style.nowMs);
    const status = (run.isInterrupted ? 'interrupted' : run.status).padEnd('completed'.length);
    return `  ${visible(run.agent).padEnd(agentWidth)}  ${status}  ${times}  ${said}  ${style.faint(run.id)}`;
  });
}

/** Keeps the word of the agent and the finding of Baton apart. */
function saidText({ outcome, outcomeBy }: RunView): string {
  if (outcome === null) return 'no report';
  const by = outcomeBy === DISPATCHER ? 'Baton found' : 'reported';
  return `${by} ${outcome.replace('_', ' ')}`;
}

/** A new claim: who holds the task, and until when. */
export function claimText({ task, run }: HeldTask, style: Style): string {
  return [
    `${visible(run.agent)} holds ${taskTitle(task, style)}`,
    `run ${run.id}, until ${timeText(run.heartbeatExpiresAt, style.nowMs)} unless renewed`,
  ].join('\n');
}

export function beatText({ task, run }: HeldTask, style: Style): string {
  return `${visible(run.agent)} holds ${style.strong(task.id)} until ${timeText(run.heartbeatExpiresAt, style.nowMs)}`;
}

export function endText({ task, run }: HeldTask, style: Style): string {
  const said = run.outcome === null ? 'without a report' : `and reported ${run.outcome.replace('_', ' ')}`;
  return `${visible(run.agent)} ended ${said}; ${style.strong(task.id)} is ${statusText(task.status, style)} now`;
}

/** How many tasks a list leaves out, and what to do about an empty one. */
export function listSummary(
  shown: number,
  counts: StatusAnswer['counts'],
  { status, agent, parent, all }: TaskListRequest,
): string | null {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  if (total === 0) return 'no tasks yet\nnext: baton task new "what to do"';
  const isNarrowed = status !== undefined || agent !== undefined || parent !== undefined;
  if (isNarrowed) return shown === 0 ? 'no task matches' : null;
  const over = (counts.done ?? 0) + (counts.cancelled ?? 0);
  if (all || over === 0) return null;
  const rest = `${over} done or cancelled: baton task list --all`;
  return shown === 0 ? `no open tasks; ${rest}` : `and ${rest}`;
}

/** The order of a task in short; its RESPONSE has everything. */
export function orderView({
  isOver,
  verdict,
  isSkipped,
  stoppedBy,
  signal,
  isUnchecked,
  isStopped,
  changed,
  git,
  ignored,
  checks,
  receipt,
  handled,
  cleanedAt,
  workplace,
}: OrderReport) {
  return {
    isOver,
    verdict,
    isSkipped,
    stoppedBy,
    signal,
    isUnchecked,
    isStopped,
    changed,
    git,
    ignored,
    checks,
    receipt,
    handled,
    cleanedAt,
    workplace,
  };
}

type OrderView = ReturnType<typeof orderView>;

/** The page of a task with the work of its agents; a receipt is stale if its files changed since. */
export function withWork(page: string, order: OrderView | null, style: Style): string {
  if (order === null) return page;
  const files = `${counted(order.changed.length, 'file')} changed`;
  const lines = [
    `  ${order.isOver ? verdictText(order, style) : 'not over yet'}; ${files}`,
    ...[...order.git, ...order.ignored].map((text) => `  ${visible(text)}`),
    ...order.handled.map((handled) => `  ${handledText(handled, style)}`),
    ...cleanedLines(order, style),
    ...receiptLines(order, style),
  ];
  return [page, '', style.strong('Work'), ...lines].join('\n');
}

/** One thing that was done with the work: undone 21:05 by operator, 2 files in /shop. */
function handledText(handled: OrderReport['handled'][number], style: Style): string {
  const { kind, by, at, files, beside, branch, folder } = handled;
  const where = branch === null ? `in ${visible(folder)}` : `on the branch ${visible(branch)}`;
  const count = [...(files === 0 && beside.length > 0 ? [] : [counted(files, 'file')]), ...beside.map(visible)].join(
    ', ',
  );
  return `${style.strong(kind)} ${timeText(at, style.nowMs)} by ${visible(by)}: ${count} ${where}`;
}

function cleanedLines({ cleanedAt }: OrderView, style: Style): readonly string[] {
  if (cleanedAt === null) return [];
  return [`  ${style.strong('cleaned')} ${timeText(cleanedAt, style.nowMs)}: its saved files were removed`];
}

function receiptLines({ receipt }: OrderView, style: Style): readonly string[] {
  if (receipt === null) return [];
  const { staleFiles } = receipt;
  const stale = staleText(staleFiles, style);
  return [`  receipt ${visible(receipt.file)}${stale}`];
}
