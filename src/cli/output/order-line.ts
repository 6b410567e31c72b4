import type { EventView } from '../../api/contract.ts';
import type { Look } from './look.ts';
import { quotaWaitText } from './pause-text.ts';
import { below, label } from './plan-text.ts';
import { durationText } from './time-text.ts';
import { visible } from './visible.ts';

type Tell = (payload: Readonly<Record<string, unknown>>, look: Look) => string | null;

/** One event of an order as a line for a waiting operator; null if it is not shown. */
export function orderLine({ type, payload }: EventView, look: Look): string | null {
  return LINES[type]?.(payload, look) ?? null;
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
  'order.snapshotted': ({ checks, workplace }, look) => {
    const { kind, folder } = workplace as { readonly kind: string; readonly folder?: string };
    const where = kind === 'worktree' ? [`${label('place', look.faint)}${visible(folder ?? '')}`] : [];
    const results = (checks as readonly Result[]).filter((each) => each.kind === 'check');
    return lines([...where, ...results.map((each) => `${label('before', look.faint)}${checkText(each, look)}`)]);
  },
  'order.unanswered': ({ message }, look) => `${label('nobody', look.bad)}${words(message)}`,
  'run.launched': ({ resumed }, look) => {
    const how = resumed === undefined ? 'the agent is working' : 'the agent goes on in its own session';
    return `${label('started', look.faint)}${look.faint(how)}`;
  },
  // An event for the sender repeats one for people.
  'run.progressed': ({ percentage, text, isForSender }, look) => {
    const isNews = isForSender !== true && (Number(percentage) > 0 || words(text) !== '');
    if (!isNews) return null;
    const bar = percentage === null ? '' : `${progressBar(Number(percentage), look)}  `;
    return below(`${bar}${words(text)}`.trimEnd());
  },
  'run.warned': ({ message }, look) => `${label('note', look.open)}${words(message)}`,
  'run.retried': ({ attempt, message }, look) =>
    `${label('retry', look.open)}its model did not answer, try ${words(attempt)}: ${words(message)}`,
  'run.question_asked': ({ text }, look) => `${label('asks', look.open)}${words(text)}`,
  'question.asked': ({ what, where, why }, look) =>
    lines([
      `${label('asks', look.open)}may it ${words(what)}?`,
      ...(where === null || words(what).includes(words(where)) ? [] : [below(`where: ${words(where)}`)]),
      ...(why === null ? [] : [below(`why: ${words(why)}`)]),
    ]),
  'question.answered': ({ answer, reason }, look) => {
    const why = reason === null ? '' : ` (${words(reason)})`;
    return `${label('answer', look.faint)}${words(answer)}${why}`;
  },
  'run.quota_reached': ({ message, resetsAt }, look) => {
    const until = resetsAt === null ? '' : ` (until ${words(resetsAt)})`;
    return `${label('quota', look.open)}${words(message)}${until}`;
  },
  'run.exited': ({ end, code, message, by }, look) => {
    if (end === 'failed') return `${label('failed', look.bad)}${words(message)} (${words(code)})`;
    if (end === 'stopped') return `${label('stopped', look.open)}by ${words(by)}`;
    return end === 'lost' ? `${label('lost', look.open)}together with the node that started it` : null;
  },
  'run.collected': ({ violations }, look) => {
    const paths = (violations ?? []) as readonly string[];
    return lines(paths.map((path) => `${label('wrote', look.bad)}${visible(path)}, without a grant for it`));
  },
  // Passed checks are listed in the report that follows.
  'run.verified': ({ results }, look) => {
    const all = results as readonly Result[];
    const missed = all.filter(({ result }) => result !== 'passed' && result !== 'not-checkable');
    if (missed.length === 0) return null;
    const passed = all.filter(({ result }) => result === 'passed').length;
    const head = `${label('checks', look.bad)}${missed.length} not passed, ${passed} passed`;
    return lines([head, ...missed.map((each) => below(checkText(each, look)))]);
  },
  'order.requeued': ({ alternative, dueAt, quota }, look) => {
    if (typeof quota === 'string') {
      return `${label('waits', look.open)}${quotaWaitText({ account: quota, until: String(dueAt) }, look.nowMs)}`;
    }
    const waitMs = Date.parse(String(dueAt)) - look.nowMs;
    const when = waitMs > SOON_MS ? ` in ${durationText(waitMs)}` : '';
    const who = typeof alternative === 'number' ? ', with another model' : '';
    return `${label('again', look.open)}retrying${when}${who}; the agent is told what failed`;
  },
  'order.rolled_back': ({ files }, look) =>
    lines(
      (files as readonly { path: string; status: string }[]).map(({ path, status }) =>
        status === 'SUCCESS'
          ? `${label('back', look.open)}${visible(path)} is restored`
          : `${label('back', look.bad)}${visible(path)} could not be restored`,
      ),
    ),
};

function checkText({ id, result, message, why = message }: Result, look: Look): string {
  if (result === 'passed') return `${look.good('✓')} ${visible(id)}`;
  if (result === 'not-checkable') return `- ${visible(id)}: ${visible(message)}`;
  if (result === 'could-not-run') return `${look.open('?')} ${visible(id)} could not run: ${visible(why)}`;
  return `${look.bad('✗')} ${visible(id)}: ${visible(why)}`;
}

function lines(texts: readonly string[]): string | null {
  return texts.length === 0 ? null : texts.join('\n');
}

function words(value: unknown): string {
  return value === undefined || value === null ? '' : visible(String(value));
}

const CELLS = 20;

/** Progress as the agent itself reports it. */
function progressBar(percentage: number, look: Look): string {
  const share = Math.min(100, Math.max(0, Number.isFinite(percentage) ? percentage : 0));
  const full = Math.round((share / 100) * CELLS);
  return `${look.good('█'.repeat(full))}${look.faint('░'.repeat(CELLS - full))} ${String(Math.round(share)).padStart(3)} %`;
}
