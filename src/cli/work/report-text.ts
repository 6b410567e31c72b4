import type { DiffAnswer, OrderReport } from '../../api/order/order-contract.ts';
import type { WarningKind } from '../../domain/order/warning.ts';
import { grouped } from '../../domain/words/counted.ts';
import { verdictWord } from '../../domain/words/verdict-words.ts';
import { type Line, line } from '../output/lines.ts';
import { hasBegun, isRecorded, nextSteps } from '../output/next-steps.ts';
import type { Style } from '../output/style.ts';
import { durationText } from '../output/time-text.ts';
import { isJudged, paintWord } from '../output/verdict-text.ts';
import { visible, visibleLines } from '../output/visible.ts';
import { staleText } from './receipt-text.ts';

/** An order that is over, and what the report does not say itself. */
export interface Ending {
  readonly report: OrderReport;
  /** How much of each file was changed; empty where it is not known. */
  readonly stat: DiffAnswer['files'];
  /** Names the data folder in calls to come, where one was named in this. */
  readonly folderFlag: string;
  /** Agents that review the work now: another report follows. */
  readonly reviewers?: readonly string[];
  /** Why no agent of the policy reviews it. */
  readonly unreviewed?: string;
  /** The same work as in the report before: only its verdict is news. */
  readonly isAgain?: boolean;
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
export function reportLines(ending: Ending, style: Style): readonly Line[] {
  const { report, stat, folderFlag, reviewers, unreviewed, isAgain = false } = ending;
  if (isAgain) return [line(''), ...verdictLines(report, style), ...nextSteps(report, style, folderFlag)];
  return [
    line(''),
    ...verdictLines(report, style, reviewers),
    ...accountLines(report, style),
    ...fileLines(report, stat, style),
    ...checkLines(report, style),
    ...noteLines(report, style),
    factLine(report, style),
    ...receiptLines(report, style),
    ...hintLines(report),
    ...(unreviewed === undefined ? [] : [line(visible(unreviewed), `  ${style.open('note')} `)]),
    ...(reviewers ? [] : nextSteps(report, style, folderFlag)),
  ];
}

/** The word of the verdict, or `needs you` where only a person can settle the rest. */
function verdictLines(report: OrderReport, style: Style, reviewers?: Ending['reviewers']): readonly Line[] {
  if (!isJudged(report)) return [];
  const { task, verdict } = report;
  const waits = reviewers ? `is reviewed by ${reviewers.join(', ')} first` : 'waits for your review';
  const name = style.strong(task.id);
  const word = verdictWord(report);
  const headed = (text: string) => line(text, `${paintWord(word, style)}  `);
  const { why, more } = whyOf(report);
  if (word === 'stopped') return [headed(`${name}; its changes stay in place`)];
  if (word === 'checked') return [headed(`${name} ${task.status === 'review' ? waits : `is ${task.status}`}`)];
  if (word === 'unchecked') return [headed(`${name}${why}; it ${waits}`), ...more];
  if (word === 'partial') return [line(`${name} is ${verdict}${why}`, `${style.open('needs you')}  `), ...more];
  return [headed(`${name}${why}`), ...more];
}

/** The first line of the reason, and the others. */
function whyOf({ summary }: OrderReport): { readonly why: string; readonly more: readonly Line[] } {
  if (!summary?.message) return { why: '', more: [] };
  const code = summary.code === null || summary.code === PLAIN_FAILURE ? '' : ` (${summary.code})`;
  const [first = '', ...more] = visibleLines(summary.message.trimEnd()).split('\n');
  return { why: `: ${first}${code}`, more: more.map((text) => line(text, ' '.repeat(6))) };
}

/** Set apart, so that nobody takes the agent's own words for Baton's. */
function accountLines({ summary }: OrderReport, style: Style): readonly Line[] {
  const lines = visibleLines(summary?.account ?? '')
    .split('\n')
    .filter((text) => text.trim() !== '');
  const shown = lines.slice(0, SUMMARY_LINES_MAX);
  const rest = lines.length > shown.length ? [`… ${lines.length - shown.length} lines more`] : [];
  return [...shown, ...rest].map((text) => barred(text, '  ', style));
}

/** Codes and pointers are for programs. */
function noteLines({ summary }: OrderReport, style: Style): readonly Line[] {
  const notes = (summary?.warnings ?? []).filter(({ kind }) => !SAID_BY_VERDICT.includes(kind));
  const told = new Set<string>();
  return notes.flatMap(({ kind, message }) => {
    const words = visible(message);
    if (told.has(words)) return [];
    told.add(words);
    return [line(words, `  ${kind === 'executed-by-git' ? style.bad('danger') : style.open('note')} `)];
  });
}

function fileLines(report: OrderReport, stat: Ending['stat'], style: Style): readonly Line[] {
  const { changed } = report;
  if (!hasBegun(report)) return [];
  if (!isRecorded(report)) return [line('what it changed is not known: there is no git', '  ')];
  const isExecuted = report.summary?.warnings.some(({ kind }) => kind === 'executed-by-git') ?? false;
  // It changed something that git status does not show.
  if (changed.length === 0 && report.git.length > 0) return [line('changed: only git itself, see below', '  ')];
  if (changed.length === 0 && report.ignored.length > 0)
    return [line('changed: only what this git does not record, see below', '  ')];
  if (changed.length === 0)
    return [line(isExecuted ? 'changed: only what git executes, see below' : 'no file was changed', '  ')];
  const signs: Readonly<Record<string, string>> = {
    CREATED: style.good('+'),
    DELETED: style.bad('-'),
    UPDATED: style.open('~'),
  };
  const shown = deletedFirst(changed).slice(0, FILES_SHOWN_MAX);
  const width = Math.max(...shown.map(({ path }) => visible(path).length));
  const lines = shown.map(({ path, status }) => {
    const counts = countsOf(path, stat, style);
    return line(
      counts === '' ? visible(path) : `${visible(path).padEnd(width)}  ${counts}`,
      `  ${signs[status] ?? ' '} `,
    );
  });
  const rest = deletedFirst(changed).slice(FILES_SHOWN_MAX);
  return rest.length > 0 ? [...lines, line(`and ${rest.length} more: ${countedText(rest)}`, '  ')] : lines;
}

type ChangedFile = OrderReport['changed'][number];

/** In a long list nobody may miss a file that is gone. */
function deletedFirst(changed: readonly ChangedFile[]): readonly ChangedFile[] {
  if (changed.length <= FILES_SHOWN_MAX) return changed;
  const isDeleted = ({ status }: ChangedFile) => status === 'DELETED';
  return [...changed.filter(isDeleted), ...changed.filter((file) => !isDeleted(file))];
}

function countedText(files: readonly ChangedFile[]): string {
  const words = [
    ['DELETED', 'deleted'],
    ['CREATED', 'new'],
    ['UPDATED', 'changed'],
  ] as const;
  const counts = words.map(([status, word]) => [files.filter((file) => file.status === status).length, word] as const);
  return counts.flatMap(([count, word]) => (count === 0 ? [] : [`${count} ${word}`])).join(', ');
}

function countsOf(path: string, stat: Ending['stat'], style: Style): string {
  const found = stat.find((file) => file.path === path);
  if (found === undefined) return '';
  if (found.added === null) return style.faint('binary');
  return `${style.good(`+${found.added}`)} ${style.bad(`-${found.removed}`)}`;
}

function checkLines({ checks, failures }: OrderReport, style: Style): readonly Line[] {
  return checks.flatMap(({ id, after, change }) => {
    const output = outputLines(failures.find((failure) => failure.id === id)?.tail ?? '', style);
    if (after === 'could-not-run')
      return [line(`${visible(id)} ${style.faint(`(could not run, ${change})`)}`, `  ${style.open('?')} `), ...output];
    const isGood = change === 'passed' || change === 'fixed';
    const sign = isGood ? style.good('✓') : style.bad('✗');
    return [line(`${visible(id)} ${style.faint(`(${change})`)}`, `  ${sign} `), ...output];
  });
}

/** The end of what a failed check printed. */
function outputLines(tail: string, style: Style): readonly Line[] {
  const lines = visibleLines(tail)
    .split('\n')
    .filter((text) => text.trim() !== '');
  return lines.slice(-CHECK_LINES_MAX).map((text) => barred(text, '    ', style));
}

/** Text that is not Baton's, behind a bar. */
function barred(text: string, indent: string, style: Style): Line {
  const bar = `${indent}${style.faint('│ ')}`;
  return line(style.faint(text.trimEnd()), bar, bar);
}

function factLine({ summary }: OrderReport, style: Style): Line {
  if (summary === null) return line(style.faint('no cost reported'));
  const { durationMs, runs, costUsd, tokens } = summary;
  const facts = [
    durationText(durationMs),
    runs > 1 ? `${runs} runs` : null,
    costUsd > 0 ? moneyText(costUsd) : 'no cost reported',
    tokens > 0 ? `${grouped(tokens)} tokens` : null,
  ];
  return line(style.faint(facts.filter(Boolean).join(' · ')));
}

function receiptLines({ receipt }: OrderReport, style: Style): readonly Line[] {
  if (receipt === null) return [];
  const { file, staleFiles } = receipt;
  const stale = staleText(staleFiles, style);
  return [line(`${style.faint(visible(file))}${stale}`, style.faint('receipt '))];
}

/** Cents, and of less than a cent two digits. */
function moneyText(usd: number): string {
  return `$${usd >= 0.01 ? usd.toFixed(2) : Number(usd.toPrecision(2))}`;
}

function hintLines({ stoppedBy, summary }: OrderReport): readonly Line[] {
  if (stoppedBy !== null || !summary?.hint || WITHOUT_HINT.includes(summary.code)) return [];
  return [line(visible(summary.hint), 'try: ')];
}
