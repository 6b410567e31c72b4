import type { OverlapView, StatusAnswer } from '../../api/contract.ts';
import type { AttentionView } from '../../api/review/review-contract.ts';
import { counted } from '../../domain/words/counted.ts';
import { shellWord } from '../call-parts.ts';
import type { Style } from '../output/style.ts';
import { durationText, timeText } from '../output/time-text.ts';
import { verdictText } from '../output/verdict-text.ts';
import { visible } from '../output/visible.ts';
import { attentionLines, overlapText } from '../review/attention-text.ts';
import { activityText } from '../trace/activity-text.ts';
import { waitText } from './reason-text.ts';
import { remoteText } from './remote-text.ts';

const WAITING_SHOWN_MAX = 10;
const NAME_WIDTH = 'TASK-2026-02-09-057'.length;

/** A line of the page. The first line of a task names it, so that `baton watch` can mark the selected one. */
export interface StatusRow {
  readonly text: string;
  readonly task: string | null;
}

export function statusPage(status: StatusAnswer, style: Style, folderFlag = ''): string {
  return textOf(statusRows(status, style, folderFlag));
}

export function statusRows(status: StatusAnswer, style: Style, folderFlag: string): readonly StatusRow[] {
  const sections = sectionsOf(status, style, folderFlag);
  if (sections.length > 0) return pageOf(sections);
  return [`no open tasks in ${status.data}`, 'next: baton task new "what to do"'].map(plain);
}

function textOf(rows: readonly StatusRow[]): string {
  return rows.map(({ text }) => text).join('\n');
}

type Section = readonly StatusRow[];

function plain(text: string): StatusRow {
  return { text, task: null };
}

/** The lines about one task. */
function taskRows(task: string | null, [first, ...others]: readonly string[]): Section {
  return first === undefined ? [] : [{ text: first, task }, ...others.map(plain)];
}

/** Running, needs you, to be applied, waiting, wrong; empty sections are left out. */
function sectionsOf(status: StatusAnswer, style: Style, folderFlag: string): readonly Section[] {
  const parts = [
    runningPart(status, style),
    interruptedPart(status, style, folderFlag),
    needsPart(status, style, folderFlag),
    applyPart(status, style, folderFlag),
    waitingPart(status, style),
    wrongPart(status, style),
  ];
  return parts.filter((part) => part.length > 0);
}

function pageOf(sections: readonly Section[]): Section {
  return sections.flatMap((rows, at) => (at === 0 ? rows : [plain(''), ...rows]));
}

/** One of several data folders, under its name. */
export function everyFolderText(
  status: StatusAnswer | { readonly data: string; readonly code: string; readonly message: string },
  style: Style,
): string {
  const heading = style.strong(visible(status.data));
  if ('message' in status)
    return `${heading}\n  ${style.bad('cannot be read')}: ${visible(status.message)} (${status.code})\n`;
  const sections = sectionsOf(status, style, ` --data ${shellWord(status.data)}`);
  return `${heading}\n${sections.length === 0 ? '  no open tasks' : textOf(pageOf(sections))}\n`;
}

function runningPart({ running, counts }: StatusAnswer, style: Style): Section {
  const shown = running.filter(({ run }) => !run?.isInterrupted);
  if (shown.length === 0) return [];
  const count = (counts['in-progress'] ?? 0) - (running.length - shown.length);
  const width = agentWidth(shown);
  const rows = shown.flatMap((task) => taskRows(task.id, sinceLines(task, style, width)));
  return [heading('Running', count, style), ...rows, ...more(shown.length, count)];
}

/** Their node was killed: tasks while it checked their work, and sessions. */
function interruptedPart({ running, interruptedSessions }: StatusAnswer, style: Style, folderFlag: string): Section {
  const shown = running.filter(({ run }) => run?.isInterrupted);
  const count = shown.length + interruptedSessions.length;
  if (count === 0) return [];
  const width = agentWidth(shown);
  const rows = shown.flatMap((task) => {
    const resume = `  ${' '.repeat(NAME_WIDTH)}  baton run ${task.id}${folderFlag}`;
    return taskRows(task.id, [...sinceLines(task, style, width), resume]);
  });
  const sessions = interruptedSessions.flatMap(({ id, name }) => [
    plain(`  ${style.strong(visible(id))}${name === '' ? '' : `  ${visible(name)}`}`),
    plain(`  ${' '.repeat(NAME_WIDTH)}  baton session continue ${id}${folderFlag}`),
  ]);
  return [heading('Interrupted', count, style), ...rows, ...sessions];
}

type RunningTask = StatusAnswer['running'][number];

function agentWidth(running: readonly RunningTask[]): number {
  return widest(running.map(({ run }) => run?.agent ?? '-'));
}

function sinceLines(task: RunningTask, style: Style, width: number): readonly string[] {
  const activity = task.run?.activity ?? null;
  const since = `since ${timeText(task.run?.startedAt ?? task.lastTransitionAt, style.nowMs)}`;
  const line = `  ${style.strong(task.id)}  ${visible(task.run?.agent ?? '-').padEnd(width)}  ${since}  ${visible(task.title)}`;
  const told = activity === null ? [] : [below(activityText(activity, style.nowMs), style)];
  const where = task.remote === null ? [] : [below(remoteText(task.remote, style.nowMs), style)];
  return [line, ...told, ...where, ...overlapLines(task.overlaps, style)];
}

/** The attention queue without its incidents, which are told as wrong. */
function needsPart(
  { attention, needsYou, incidents, toApply }: StatusAnswer,
  style: Style,
  folderFlag: string,
): Section {
  const shown = attention.items.filter(({ kind }) => kind !== 'incident');
  const count = attention.total - incidents.length;
  if (count <= 0) return [];
  const statuses = new Map<string | null, string>(needsYou.map(({ id, status }) => [id, status]));
  const wordOf = ({ kind, task }: AttentionView) => (kind === 'blocked' ? statuses.get(task) : undefined);
  const width = widest(shown.map((item) => wordOf(item) ?? item.kind));
  const waits = new Set<string | null>(toApply.map(({ id }) => id));
  const rows = shown.flatMap((item) =>
    taskRows(item.task, [
      ...attentionLines(item, { style, folderFlag, width, wordOf }),
      ...(waits.has(item.task) && item.kind !== 'overlap' && item.kind !== 'blocked'
        ? [`  ${' '.repeat(NAME_WIDTH)}  baton apply ${item.task}${folderFlag}`]
        : []),
    ]),
  );
  return [heading('Needs you', count, style), ...rows, ...more(shown.length, count)];
}

/** Work in worktrees, each with its verdict and the command that applies it. */
function applyPart(status: StatusAnswer, style: Style, folderFlag: string): Section {
  const { toApply, totals } = status;
  if (toApply.length === 0) return [];
  const above = toApply.filter(({ id }) => isAttended(status, id));
  const own = toApply.filter((task) => !above.includes(task));
  const shown = own.slice(0, WAITING_SHOWN_MAX);
  const width = widest(shown.map(({ doneBy }) => doneBy ?? '-'));
  const rows = shown.flatMap((task) => {
    const { id, doneBy, files, readyAt } = task;
    const age = `${durationText(Math.max(0, style.nowMs - Date.parse(readyAt)))} ago`;
    return taskRows(id, [
      `  ${style.strong(id)}  ${visible(doneBy ?? '-').padEnd(width)}  ${visible(task.title)}`,
      `  ${' '.repeat(NAME_WIDTH)}  ${verdictText(task, style)}, ${counted(files, 'file')}, ${age}`,
      ...overlapLines(task.overlaps, style),
      `  ${' '.repeat(NAME_WIDTH)}  baton apply ${id}${folderFlag}`,
    ]);
  });
  const alsoAbove = `${above.length} above, which ${above.length === 1 ? 'needs' : 'need'} you`;
  const also = above.length === 0 ? [] : [plain(`  ${rows.length === 0 ? '' : 'and '}${alsoAbove}`)];
  const rest = more(shown.length, totals.toApply - above.length);
  return [heading('Waiting to be applied', totals.toApply, style), ...rows, ...also, ...rest];
}

/** Whether a task is shown among those that need a person: a page shows each task once. */
function isAttended({ attention }: StatusAnswer, id: string): boolean {
  return attention.items.some(({ kind, task }) => kind !== 'incident' && task === id);
}

function waitingPart({ waiting, counts }: StatusAnswer, style: Style): Section {
  const count = (counts.ready ?? 0) + (counts.backlog ?? 0);
  if (count === 0) return [];
  const shown = waiting.slice(0, WAITING_SHOWN_MAX);
  const width = widest(shown.map((task) => task.agent ?? '-'));
  const statusWidth = widest(shown.map(({ status }) => status));
  const rows = shown.flatMap((task) => {
    const obstacle = waitText(task, style.nowMs);
    const line = `  ${style.strong(task.id)}  ${task.status.padEnd(statusWidth)}  ${visible(task.agent ?? '-').padEnd(width)}  ${visible(task.title)}`;
    return taskRows(task.id, obstacle === null ? [line] : [line, below(obstacle, style)]);
  });
  return [heading('Waiting', count, style), ...rows, ...more(shown.length, count)];
}

function wrongPart({ incidents }: StatusAnswer, style: Style): Section {
  if (incidents.length === 0) return [];
  const lines = incidents.map(({ kind, taskId, detail, openedAt }) => {
    const about = taskId === null ? '' : `${taskId}: `;
    return `  ${style.bad(visible(kind))} since ${timeText(openedAt, style.nowMs)}  ${about}${visible(detail)}`;
  });
  return [heading('Wrong', incidents.length, style), ...lines.map(plain)];
}

function overlapLines(overlaps: readonly OverlapView[], style: Style): readonly string[] {
  return overlaps.map((overlap) => below(visible(overlapText(overlap)), style));
}

/** A second line of a task, below its status. */
function below(text: string, style: Style): string {
  return `  ${' '.repeat(NAME_WIDTH)}  ${style.faint(text)}`;
}

function heading(text: string, count: number | undefined, style: Style): StatusRow {
  return plain(style.strong(`${text} (${count ?? 0})`));
}

function more(shown: number, count = 0): Section {
  return count > shown ? [plain(`  and ${count - shown} more: baton task list`)] : [];
}

function widest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map((text) => text.length));
}
