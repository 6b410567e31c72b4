import type { DiffAnswer, OrderReport } from '../../api/order-contract.ts';
import type { Look } from './look.ts';
import { hasBegun, isRecorded, nextSteps } from './next-steps.ts';
import { durationText } from './time-text.ts';
import { visible, visibleLines } from './visible.ts';

interface ResponseParts {
  readonly task_status?: { readonly message?: string | null };
  readonly execution_summary?: { readonly summary?: string; readonly warnings?: readonly string[] };
  readonly error_details?: {
    readonly error_code: string;
    readonly message: string;
    readonly recovery_suggestions?: readonly string[];
  } | null;
  readonly timing?: { readonly duration_seconds: number; readonly retries_attempted?: number };
  readonly cost_tracking?: {
    readonly actual_cost_usd?: number;
    readonly tokens_input?: number;
    readonly tokens_output?: number;
  };
}

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
const OWN_WORDS = 'Written by Baton from what it saw';
const SAID_BY_VERDICT = /^(unchecked: |the agent says [A-Z_]+, Baton found )/;
/** What a program finds a warning by; the sentence behind it says the same. */
const CODE_AND_PLACE = /^(?:E_[A-Z_]+|VERSION_FALLBACK|[a-z]+_[a-z_]+): (?:\/\S+ )?/;
/** Says no more than that it failed. */
const PLAIN_FAILURE = 'E_UNKNOWN';

/** What came of an order: the verdict first, then what it rests on, then what to type next. */
export function reportText({ report, stat, folderFlag }: Ending, look: Look): string {
  const response = (report.response ?? {}) as ResponseParts;
  return [
    '',
    verdictLine(report, response, look),
    ...summaryLines(response, look),
    ...fileLines(report, stat, look),
    ...checkLines(report, look),
    ...noteLines(response, look),
    factLine(response, look),
    ...receiptLines(report, look),
    ...hintLines(report, response),
    ...nextSteps(report, look, folderFlag),
  ].join('\n');
}

/** Words for people: checked, unchecked, failed, needs you. */
function verdictLine(report: OrderReport, response: ResponseParts, look: Look): string {
  const { task, signal, isUnchecked, isStopped } = report;
  const name = look.strong(task.id);
  const why = whyOf(response);
  if (isStopped) return `${look.open('stopped')}  ${name}; the work is kept as it was left`;
  if (signal === 'SUCCESS') {
    const now = task.status === 'review' ? 'waits for your review' : `is ${task.status}`;
    return `${look.good('checked')}  ${name} ${now}`;
  }
  if (isUnchecked)
    return `${look.open('unchecked')}  ${name}: there was nothing to check it by; it waits for your review`;
  if (signal === 'PARTIAL_SUCCESS') return `${look.open('needs you')}  ${name} is done in part${why}`;
  return `${look.bad(signal === 'ABORTED' ? 'given up' : 'failed')}  ${name}${why}`;
}

function whyOf({ error_details: error, task_status: status }: ResponseParts): string {
  if (!error) return status?.message ? `: ${visible(status.message)}` : '';
  const code = error.error_code === PLAIN_FAILURE ? '' : ` (${visible(error.error_code)})`;
  return `: ${visible(error.message)}${code}`;
}

/** The agent's own words stand apart: they must not be taken for Baton's. */
function summaryLines({ execution_summary: summary }: ResponseParts, look: Look): readonly string[] {
  const text = summary?.summary ?? '';
  if (text.startsWith(OWN_WORDS)) return [];
  const lines = visibleLines(text)
    .split('\n')
    .filter((line) => line.trim() !== '');
  const shown = lines.slice(0, SUMMARY_LINES_MAX);
  const rest = lines.length > shown.length ? [`… ${lines.length - shown.length} lines more`] : [];
  return [...shown, ...rest].map((line) => look.faint(`  │ ${line.trimEnd()}`));
}

/** What the verdict says already is not said again, and the names of verdicts are for programs. */
function noteLines({ execution_summary: summary }: ResponseParts, look: Look): readonly string[] {
  const notes = (summary?.warnings ?? []).filter((warning) => !SAID_BY_VERDICT.test(warning));
  return notes.map((warning) => `  ${look.open('note')} ${visible(warning.replace(CODE_AND_PLACE, ''))}`);
}

function fileLines(report: OrderReport, stat: Ending['stat'], look: Look): readonly string[] {
  const { changed } = report;
  if (!hasBegun(report)) return [];
  if (!isRecorded(report)) return ['  what it changed is not known: there is no git'];
  if (changed.length === 0) return ['  no file was changed'];
  const signs: Readonly<Record<string, string>> = {
    CREATED: look.good('+'),
    DELETED: look.bad('-'),
    UPDATED: look.open('~'),
  };
  const shown = changed.slice(0, FILES_SHOWN_MAX);
  const width = Math.max(...shown.map(({ path }) => visible(path).length));
  const lines = shown.map(({ path, status }) => {
    const counts = countsOf(path, stat, look);
    return `  ${signs[status] ?? ' '} ${counts === '' ? visible(path) : `${visible(path).padEnd(width)}  ${counts}`}`;
  });
  const more = changed.length - shown.length;
  return more > 0 ? [...lines, `  and ${more} more`] : lines;
}

function countsOf(path: string, stat: Ending['stat'], look: Look): string {
  const found = stat.find((file) => file.path === path);
  if (found === undefined) return '';
  if (found.added === null) return look.faint('binary');
  return `${look.good(`+${found.added}`)} ${look.bad(`-${found.removed}`)}`;
}

function checkLines({ checks }: OrderReport, look: Look): readonly string[] {
  return checks.map(({ id, after, change }) => {
    if (after === 'could-not-run')
      return `  ${look.open('?')} ${visible(id)} ${look.faint(`(could not run, ${change})`)}`;
    const isGood = change === 'passed' || change === 'fixed';
    return `  ${isGood ? look.good('✓') : look.bad('✗')} ${visible(id)} ${look.faint(`(${change})`)}`;
  });
}

function factLine({ timing, cost_tracking: cost }: ResponseParts, look: Look): string {
  const tokens = (cost?.tokens_input ?? 0) + (cost?.tokens_output ?? 0);
  const usd = cost?.actual_cost_usd ?? 0;
  const facts = [
    timing && durationText(timing.duration_seconds * 1_000),
    timing?.retries_attempted ? `${timing.retries_attempted + 1} runs` : null,
    usd > 0 ? moneyText(usd) : 'no cost reported',
    tokens > 0 ? `${tokens.toLocaleString('en-US')} tokens` : null,
  ];
  return look.faint(facts.filter(Boolean).join(' · '));
}

function receiptLines({ receipt }: OrderReport, look: Look): readonly string[] {
  if (receipt === null) return [];
  const { file, staleFiles } = receipt;
  const stale =
    staleFiles.length === 0 ? '' : look.open(` (stale: ${staleFiles.map(visible).join(', ')} changed since)`);
  return [`${look.faint(`receipt ${visible(file)}`)}${stale}`];
}

/** Cents, and of less than a cent two digits. */
function moneyText(usd: number): string {
  return `$${usd >= 0.01 ? usd.toFixed(2) : Number(usd.toPrecision(2))}`;
}

/** What can be done about a failure of a kind that is known. */
function hintLines({ task, isStopped }: OrderReport, { error_details: error }: ResponseParts): readonly string[] {
  const [hint] = error?.recovery_suggestions ?? [];
  // What the agent printed is among what to type next.
  const isSaid = hint === undefined || /baton logs TASK$/.test(hint) || error?.error_code === PLAIN_FAILURE;
  if (isStopped || isSaid) return [];
  return [`try: ${visible(hint).replace(/\bTASK$/, task.id)}`];
}
