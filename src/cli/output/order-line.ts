import type { EventView } from '../../api/contract.ts';
import { quotaWaitText } from './pause-text.ts';
import { below, label } from './plan-text.ts';
import type { Style } from './style.ts';
import { durationText } from './time-text.ts';
import { visible } from './visible.ts';

type Tell = (payload: Readonly<Record<string, unknown>>, style: Style) => string | null;

/** One event of an order as a line for a waiting operator; null if it is not shown. */
export function orderLine({ type, payload }: EventView, style: Style): string | null {
  return LINES[type]?.(payload, style) ?? null;
}

interface Result {
  readonly id: string;
  readonly kind: string;
  readonly result: string;
  readonly message: string;
  readonly why?: string;
}

const SOON_MS = 1_500;

const LINES: Readonly<Record<string, Tell>> = {
  'order.snapshotted': ({ checks, workplace }, style) => {
    const { kind, folder } = workplace as { readonly kind: string; readonly folder?: string };
    const where = kind === 'worktree' ? [`${label('place', style.faint)}${visible(folder ?? '')}`] : [];
    const results = (checks as readonly Result[]).filter((each) => each.kind === 'check');
    return lines([...where, ...results.map((each) => `${label('before', style.faint)}${checkText(each, style)}`)]);
  },
  'order.unanswered': ({ message }, style) => `${label('nobody', style.bad)}${words(message)}`,
  'run.launched': ({ resumed }, style) => {
    const how = resumed === undefined ? 'the agent is working' : 'the agent goes on in its own session';
    return `${label('started', style.faint)}${style.faint(how)}`;
  },
  // An event for the sender repeats one for people.
  'run.progressed': ({ percentage, text, isForSender }, style) => {
    const isNews = isForSender !== true && (Number(percentage) > 0 || words(text) !== '');
    if (!isNews) return null;
    const bar = percentage === null ? '' : `${progressBar(Number(percentage), style)}  `;
    return below(`${bar}${words(text)}`.trimEnd());
  },
  'run.warned': ({ message }, style) => `${label('note', style.open)}${words(message)}`,
  'run.retried': ({ attempt, message }, style) =>
    `${label('retry', style.open)}its model did not answer, try ${words(attempt)}: ${words(message)}`,
  'run.question_asked': ({ text }, style) => `${label('asks', style.open)}${words(text)}`,
  'question.asked': ({ what, where, why }, style) =>
    lines([
      `${label('asks', style.open)}may it ${words(what)}?`,
      ...(where === null || words(what).includes(words(where)) ? [] : [below(`where: ${words(where)}`)]),
      ...(why === null ? [] : [below(`why: ${words(why)}`)]),
    ]),
  'question.answered': ({ answer, reason }, style) => {
    const why = reason === null ? '' : ` (${words(reason)})`;
    return `${label('answer', style.faint)}${words(answer)}${why}`;
  },
  'run.quota_reached': ({ message, resetsAt }, style) => {
    const until = resetsAt === null ? '' : ` (until ${words(resetsAt)})`;
    return `${label('quota', style.open)}${words(message)}${until}`;
  },
  'run.exited': ({ end, code, message, by }, style) => {
    if (end === 'failed') return `${label('failed', style.bad)}${words(message)} (${words(code)})`;
    if (end === 'stopped') return `${label('stopped', style.open)}by ${words(by)}`;
    return end === 'lost' ? `${label('lost', style.open)}together with the node that started it` : null;
  },
  'run.collected': ({ violations }, style) => {
    const paths = (violations ?? []) as readonly string[];
    return lines(paths.map((path) => `${label('wrote', style.bad)}${visible(path)}, without a grant for it`));
  },
  // Passed checks are listed in the report that follows.
  'run.verified': ({ results }, style) => {
    const all = results as readonly Result[];
    const missed = all.filter(({ result }) => result !== 'passed' && result !== 'not-checkable');
    if (missed.length === 0) return null;
    const passed = all.filter(({ result }) => result === 'passed').length;
    const head = `${label('checks', style.bad)}${missed.length} not passed, ${passed} passed`;
    return lines([head, ...missed.map((each) => below(checkText(each, style)))]);
  },
  'order.requeued': ({ alternative, dueAt, quota }, style) => {
    if (typeof quota === 'string') {
      return `${label('waits', style.open)}${quotaWaitText({ account: quota, until: String(dueAt) }, style.nowMs)}`;
    }
    const waitMs = Date.parse(String(dueAt)) - style.nowMs;
    const when = waitMs > SOON_MS ? ` in ${durationText(waitMs)}` : '';
    const who = typeof alternative === 'number' ? ', with another model' : '';
    return `${label('again', style.open)}retrying${when}${who}; the agent is told what failed`;
  },
  'order.rolled_back': ({ files }, style) =>
    lines(
      (files as readonly { path: string; status: string }[]).map(({ path, status }) =>
        status === 'SUCCESS'
          ? `${label('back', style.open)}${visible(path)} is restored`
          : `${label('back', style.bad)}${visible(path)} could not be restored`,
      ),
    ),
};

function checkText({ id, result, message, why = message }: Result, style: Style): string {
  if (result === 'passed') return `${style.good('✓')} ${visible(id)}`;
  if (result === 'not-checkable') return `- ${visible(id)}: ${visible(message)}`;
  if (result === 'could-not-run') return `${style.open('?')} ${visible(id)} could not run: ${visible(why)}`;
  return `${style.bad('✗')} ${visible(id)}: ${visible(why)}`;
}

function lines(texts: readonly string[]): string | null {
  return texts.length === 0 ? null : texts.join('\n');
}

function words(value: unknown): string {
  return value === undefined || value === null ? '' : visible(String(value));
}

const CELLS = 20;

/** Progress as the agent itself reports it. */
function progressBar(percentage: number, style: Style): string {
  const share = Math.min(100, Math.max(0, Number.isFinite(percentage) ? percentage : 0));
  const full = Math.round((share / 100) * CELLS);
  return `${style.good('█'.repeat(full))}${style.faint('░'.repeat(CELLS - full))} ${String(Math.round(share)).padStart(3)} %`;
}
