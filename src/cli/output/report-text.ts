import type { DiffAnswer, OrderReport } from '../../api/order-contract.ts';
import type { WarningKind } from '../../domain/warning.ts';
import { hasBegun, isRecorded, nextSteps } from './next-steps.ts';
import type { Style } from './style.ts';
import { durationText } from './time-text.ts';
import { visible, visibleLines } from './visible.ts';

/** An order that is over, and what the report does not say itself. */
export interface Ending {
  readonly report: OrderReport;
  /** How much of each file was changed; empty where it is not known. */
  readonly stat: DiffAnswer['files'];
  /** Names the data folder in calls to come, where one was named in this. */
  readonly folderFlag: string;
}

const FILES_SHOWN_MAX = 20;
const SUMMARY_LINES_MAX = 12;
const CHECK_LINES_MAX = 10;
/** The verdict line says these already. */
const SAID_BY_VERDICT: readonly WarningKind[] = ['unchecked', 'claim-differs'];
/** Their hint is to read what the agent printed, which is among the next steps; E_UNKNOWN has none. */
const WITHOUT_HINT: readonly (string | null)[] = ['E_UNKNOWN', 'E_HEARTBEAT_FAILURE', 'E_PROCESS_CRASH'];
/** Says no more than that it failed. */
const PLAIN_FAILURE = 'E_UNKNOWN';

/** The report of an order: its verdict, the evidence, and the commands to type next. */
export function reportText({ report, stat, folderFlag }: Ending, style: Style): string {
  return [
    '',
    verdictLine(report, style),
    ...accountLines(report, style),
    ...fileLines(report, stat, style),
    ...checkLines(report, style),
    ...noteLines(report, style),
    factLine(report, style),
    ...receiptLines(report, style),
    ...hintLines(report),
    ...nextSteps(report, style, folderFlag),
  ].join('\n');
}

/** Words for people: checked, unchecked, failed, needs you. */
function verdictLine(report: OrderReport, style: Style): string {
  const { task, signal, isUnchecked, isStopped } = report;
  const name = style.strong(task.id);
  const why = whyOf(report);
  if (isStopped) return `${style.open('stopped')}  ${name}; its changes stay in place`;
  if (signal === 'SUCCESS') {
    const now = task.status === 'review' ? 'waits for your review' : `is ${task.status}`;
    return `${style.good('checked')}  ${name} ${now}`;
  }
  if (isUnchecked) return `${style.open('unchecked')}  ${name}${why}; it waits for your review`;
  if (signal === 'PARTIAL_SUCCESS') return `${style.open('needs you')}  ${name} is done in part${why}`;
  return `${style.bad(signal === 'ABORTED' ? 'given up' : 'failed')}  ${name}${why}`;
}

function whyOf({ summary }: OrderReport): string {
  if (!summary?.message) return '';
  const code = summary.code === null || summary.code === PLAIN_FAILURE ? '' : ` (${summary.code})`;
  const [first = '', ...more] = visibleLines(summary.message.trimEnd()).split('\n');
  return [`: ${first}${code}`, ...more.map((line) => `      ${line}`)].join('\n');
}

/** Set apart, so that nobody takes the agent's own words for Baton's. */
function accountLines({ summary }: OrderReport, style: Style): readonly string[] {
  const lines = visibleLines(summary?.account ?? '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const shown = lines.slice(0, SUMMARY_LINES_MAX);
  const rest = lines.length > shown.length ? [`… ${lines.length - shown.length} lines more`] : [];
  return [...shown, ...rest].map((line) => style.faint(`  │ ${line.trimEnd()}`));
}

/** Codes and pointers are for programs. */
function noteLines({ summary }: OrderReport, style: Style): readonly string[] {
  const notes = (summary?.warnings ?? []).filter(({ kind }) => !SAID_BY_VERDICT.includes(kind));
  const lines = notes.map(({ kind, message }) => {
    return `  ${kind === 'executed-by-git' ? style.bad('danger') : style.open('note')} ${visible(message)}`;
  });
  return [...new Set(lines)];
}

function fileLines(report: OrderReport, stat: Ending['stat'], style: Style): readonly string[] {
  const { changed } = report;
  if (!hasBegun(report)) return [];
  if (!isRecorded(report)) return ['  what it changed is not known: there is no git'];
  const isExecuted = report.summary?.warnings.some(({ kind }) => kind === 'executed-by-git') ?? false;
  // It changed something that git status does not show.
  if (changed.length === 0 && report.git.length > 0) return ['  changed: only git itself, see below'];
  if (changed.length === 0 && report.ignored.length > 0) return ['  changed: only files that git ignores, see below'];
  if (changed.length === 0)
    return isExecuted ? ['  changed: only what git executes, see below'] : ['  no file was changed'];
  const signs: Readonly<Record<string, string>> = {
    CREATED: style.good('+'),
    DELETED: style.bad('-'),
    UPDATED: style.open('~'),
  };
  const shown = changed.slice(0, FILES_SHOWN_MAX);
  const width = Math.max(...shown.map(({ path }) => visible(path).length));
  const lines = shown.map(({ path, status }) => {
    const counts = countsOf(path, stat, style);
    return `  ${signs[status] ?? ' '} ${counts === '' ? visible(path) : `${visible(path).padEnd(width)}  ${counts}`}`;
  });
  const more = changed.length - shown.length;
  return more > 0 ? [...lines, `  and ${more} more`] : lines;
}

function countsOf(path: string, stat: Ending['stat'], style: Style): string {
  const found = stat.find((file) => file.path === path);
  if (found === undefined) return '';
  if (found.added === null) return style.faint('binary');
  return `${style.good(`+${found.added}`)} ${style.bad(`-${found.removed}`)}`;
}

function checkLines({ checks, failures }: OrderReport, style: Style): readonly string[] {
  return checks.flatMap(({ id, after, change }) => {
    const output = outputLines(failures.find((failure) => failure.id === id)?.tail ?? '', style);
    if (after === 'could-not-run')
      return [`  ${style.open('?')} ${visible(id)} ${style.faint(`(could not run, ${change})`)}`, ...output];
    const isGood = change === 'passed' || change === 'fixed';
    return [`  ${isGood ? style.good('✓') : style.bad('✗')} ${visible(id)} ${style.faint(`(${change})`)}`, ...output];
  });
}

/** The end of what a failed check printed. */
function outputLines(tail: string, style: Style): readonly string[] {
  const lines = visibleLines(tail)
    .split('\n')
    .filter((line) => line.trim() !== '');
  return lines.slice(-CHECK_LINES_MAX).map((line) => style.faint(`    │ ${line.trimEnd()}`));
}

function factLine({ summary }: OrderReport, style: Style): string {
  if (summary === null) return style.faint('no cost reported');
  const { durationMs, runs, costUsd, tokens } = summary;
  const facts = [
    durationText(durationMs),
    runs > 1 ? `${runs} runs` : null,
    costUsd > 0 ? moneyText(costUsd) : 'no cost reported',
    tokens > 0 ? `${tokens.toLocaleString('en-US')} tokens` : null,
  ];
  return style.faint(facts.filter(Boolean).join(' · '));
}

function receiptLines({ receipt }: OrderReport, style: Style): readonly string[] {
  if (receipt === null) return [];
  const { file, staleFiles } = receipt;
  const stale =
    staleFiles.length === 0 ? '' : style.open(` (stale: ${staleFiles.map(visible).join(', ')} changed since)`);
  return [`${style.faint(`receipt ${visible(file)}`)}${stale}`];
}

/** Cents, and of less than a cent two digits. */
function moneyText(usd: number): string {
  return `$${usd >= 0.01 ? usd.toFixed(2) : Number(usd.toPrecision(2))}`;
}

/** TASK at the end of a hint stands for the task itself. */
function hintLines({ task, isStopped, summary }: OrderReport): readonly string[] {
  if (isStopped || !summary?.hint || WITHOUT_HINT.includes(summary.code)) return [];
  return [`try: ${visible(summary.hint).replace(/\bTASK$/, task.id)}`];
}
