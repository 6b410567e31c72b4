import type { OrderReport } from '../../api/order-contract.ts';
import { durationText } from './duration-text.ts';
import type { Look } from './look.ts';
import { visible, visibleLines } from './visible.ts';

interface ResponseParts {
  readonly extensions?: { readonly x_baton?: { readonly commits?: { readonly before: string | null } } };
  readonly task_status?: { readonly message?: string | null };
  readonly execution_summary?: { readonly summary?: string; readonly warnings?: readonly string[] };
  readonly error_details?: { readonly error_code: string; readonly message: string } | null;
  readonly timing?: { readonly duration_seconds: number; readonly retries_attempted?: number };
  readonly cost_tracking?: {
    readonly actual_cost_usd?: number;
    readonly tokens_input?: number;
    readonly tokens_output?: number;
  };
}

const FILES_SHOWN_MAX = 20;
const OWN_WORDS = 'Written by Baton from what it saw';
const SAID_BY_VERDICT = /^(unchecked: |the agent says [A-Z_]+, Baton found )/;

/** What came of an order: the verdict first, then what it rests on, then what to type next. */
export function reportText(report: OrderReport, look: Look): string {
  const response = (report.response ?? {}) as ResponseParts;
  return [
    '',
    verdictLine(report, response, look),
    ...summaryLines(response, look),
    ...fileLines(report, look),
    ...checkLines(report, look),
    ...noteLines(response, look),
    factLine(report, response, look),
    ...nextLines(report, look),
  ].join('\n');
}

/** Words for people: checked, unchecked, failed, needs you. */
function verdictLine(report: OrderReport, response: ResponseParts, look: Look): string {
  const { task, signal, isUnchecked, isStopped } = report;
  const name = look.strong(task.id);
  const error = response.error_details;
  const why = error ? `: ${visible(error.message)} (${error.error_code})` : messageOf(response);
  if (isStopped) return `${look.open('stopped')}  ${name}; the work is kept as it was left`;
  if (signal === 'SUCCESS') return `${look.good('checked')}  ${name} is ${task.status}`;
  if (isUnchecked)
    return `${look.open('unchecked')}  ${name}: there was nothing to check it by; it waits for your review`;
  if (signal === 'PARTIAL_SUCCESS') return `${look.open('needs you')}  ${name} is done in part${why}`;
  return `${look.bad(signal === 'ABORTED' ? 'given up' : 'failed')}  ${name}${why}`;
}

function messageOf({ task_status: status }: ResponseParts): string {
  return status?.message ? `: ${visible(status.message)}` : '';
}

function summaryLines({ execution_summary: summary }: ResponseParts, look: Look): readonly string[] {
  const text = summary?.summary ?? '';
  return text === '' || text.startsWith(OWN_WORDS) ? [] : [look.faint(visibleLines(text))];
}

/** What the verdict says already is not said again, and the names of verdicts are for programs. */
function noteLines({ execution_summary: summary }: ResponseParts, look: Look): readonly string[] {
  const notes = (summary?.warnings ?? []).filter((warning) => !SAID_BY_VERDICT.test(warning));
  return notes.map((warning) => `  ${look.open('note')} ${visible(warning)}`);
}

function fileLines({ changed }: OrderReport, look: Look): readonly string[] {
  const signs: Readonly<Record<string, string>> = {
    CREATED: look.good('+'),
    DELETED: look.bad('-'),
    UPDATED: look.open('~'),
  };
  const shown = changed
    .slice(0, FILES_SHOWN_MAX)
    .map(({ path, status }) => `  ${signs[status] ?? ' '} ${visible(path)}`);
  const more = changed.length - shown.length;
  return more > 0 ? [...shown, `  and ${more} more`] : shown;
}

function checkLines({ checks }: OrderReport, look: Look): readonly string[] {
  return checks.map(({ id, change }) => {
    const isGood = change === 'passed' || change === 'fixed';
    return `  ${isGood ? look.good('✓') : look.bad('✗')} ${visible(id)} ${look.faint(`(${change})`)}`;
  });
}

function factLine({ receipt }: OrderReport, { timing, cost_tracking: cost }: ResponseParts, look: Look): string {
  const tokens = (cost?.tokens_input ?? 0) + (cost?.tokens_output ?? 0);
  const facts = [
    timing && durationText(timing.duration_seconds * 1_000),
    timing?.retries_attempted ? `${timing.retries_attempted + 1} runs` : null,
    cost?.actual_cost_usd ? `$${cost.actual_cost_usd}` : null,
    tokens > 0 ? `${tokens} tokens` : null,
    receipt && `receipt ${visible(receipt.file)}`,
    receipt && receipt.staleFiles.length > 0
      ? look.open(`stale: ${receipt.staleFiles.map(visible).join(', ')} changed since`)
      : null,
  ];
  return look.faint(facts.filter(Boolean).join(' · '));
}

const MEANINGS = {
  logs: 'what its agent printed',
  diff: 'what it changed',
  undo: 'put every file back',
  apply: 'bring it into your files',
  discard: 'drop it',
} as const;

function nextLines(report: OrderReport, look: Look): readonly string[] {
  const verbs = nextVerbs(report);
  const width = Math.max(...verbs.map((verb) => verb.length));
  return verbs.map((verb) => {
    const call = `baton ${verb} ${report.task.id}`;
    return `next: ${call}${' '.repeat(width - verb.length)}  ${look.faint(MEANINGS[verb])}`;
  });
}

function nextVerbs(report: OrderReport): readonly (keyof typeof MEANINGS)[] {
  const { changed, workplace, signal, isUnchecked } = report;
  const said = signal === 'SUCCESS' || isUnchecked ? [] : (['logs'] as const);
  if (changed.length === 0 || !isRecorded(report)) return said;
  return workplace?.kind === 'worktree' ? [...said, 'diff', 'apply', 'discard'] : [...said, 'diff', 'undo'];
}

/** Without git there is nothing to show or to undo the work by. */
function isRecorded({ response }: OrderReport): boolean {
  const { extensions } = (response ?? {}) as ResponseParts;
  return extensions?.x_baton?.commits?.before !== null;
}
