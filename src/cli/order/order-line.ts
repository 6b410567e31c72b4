import type { EventView } from '../../api/contract.ts';
import { type Line, line } from '../output/lines.ts';
import type { Style } from '../output/style.ts';
import { durationText, timeText } from '../output/time-text.ts';
import { visible } from '../output/visible.ts';
import { quotaWaitText } from './pause-text.ts';
import { below, label } from './plan-text.ts';

type Tell = (payload: Readonly<Record<string, unknown>>, style: Style) => readonly Line[];

/** One event of an order, for an operator who waits; no lines if it is not shown. */
export function orderLines({ type, payload }: EventView, style: Style): readonly Line[] {
  return LINES[type]?.(payload, style) ?? [];
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
    const where = kind === 'worktree' ? [line(visible(folder ?? ''), label('place', style.faint))] : [];
    const results = (checks as readonly Result[]).filter((each) => each.kind === 'check');
    return [...where, ...results.map((each) => line(checkText(each, style), label('before', style.faint)))];
  },
  'task.sent': ({ to }, style) => [line(`to ${words(to)}`, label('sent', style.faint))],
  'task.taken': ({ agent, node, etaAt }, style) => [
    line(
      `by ${words(agent)} on ${words(node)}, expected by ${timeText(String(etaAt), style.nowMs)}`,
      label('taken', style.faint),
    ),
  ],
  'task.told': ({ status, note, revisedEtaAt }, style) => {
    const isNews = status !== 'in_progress' || revisedEtaAt !== undefined;
    const eta = typeof revisedEtaAt === 'string' ? `, expected by ${timeText(revisedEtaAt, style.nowMs)}` : '';
    const why = words(note) === '' ? '' : `: ${words(note)}`;
    return isNews ? [line(`${words(status).replaceAll('_', ' ')}${why}${eta}`, label('told', style.open))] : [];
  },
  'task.strayed': ({ why }, style) => [line(`${words(why)}: it is sent to others`, label('lost', style.open))],
  'task.overdue': ({ etaAt }, style) => [
    line(`it was expected by ${timeText(String(etaAt), style.nowMs)}`, label('late', style.open)),
  ],
  'task.recalled': ({ nodes }, style) => [line(`${words(nodes)} is told to stop`, label('stop', style.open))],
  'task.brought': ({ violations, problem }, style) =>
    [...(violations as readonly string[]), ...(problem === null ? [] : [problem])].map((text) =>
      line(words(text), label('result', style.bad)),
    ),
  'order.unanswered': ({ message }, style) => [line(words(message), label('nobody', style.bad))],
  'run.launched': ({ resumed }, style) => {
    const how = resumed === undefined ? 'the agent is working' : 'the agent resumes its own session';
    return [line(style.faint(how), label('started', style.faint))];
  },
  // An event for the sender repeats one for people.
  'run.progressed': ({ percentage, text, isForSender }, style) => {
    const isNews = isForSender !== true && (Number(percentage) > 0 || words(text) !== '');
    if (!isNews) return [];
    const bar = percentage === null ? '' : `${progressBar(Number(percentage), style)}  `;
    return [below(`${bar}${words(text)}`.trimEnd())];
  },
  'run.warned': ({ message }, style) => [line(words(message), label('note', style.open))],
  'run.retried': ({ attempt, message }, style) => [
    line(`its model did not answer, try ${words(attempt)}: ${words(message)}`, label('retry', style.open)),
  ],
  'run.question_asked': ({ text }, style) => [line(words(text), label('asks', style.open))],
  'question.asked': ({ what, where, why }, style) => [
    line(`may it ${words(what)}?`, label('asks', style.open)),
    ...(where === null || words(what).includes(words(where)) ? [] : [below(`where: ${words(where)}`)]),
    ...(why === null ? [] : [below(`why: ${words(why)}`)]),
  ],
  'question.answered': ({ answer, reason }, style) => {
    const why = reason === null ? '' : ` (${words(reason)})`;
    return [line(`${words(answer)}${why}`, label('answer', style.faint))];
  },
  'run.quota_reached': ({ message, resetsAt }, style) => {
    const until = resetsAt === null ? '' : ` (until ${words(resetsAt)})`;
    return [line(`${words(message)}${until}`, label('quota', style.open))];
  },
  'run.exited': ({ end, code, message, by }, style) => {
    if (end === 'failed') return [line(`${words(message)} (${words(code)})`, label('failed', style.bad))];
    if (end === 'stopped') return [line(`by ${words(by)}`, label('stopped', style.open))];
    return end === 'lost' ? [line('together with the node that started it', label('lost', style.open))] : [];
  },
  'run.collected': ({ violations }, style) => {
    const paths = (violations ?? []) as readonly string[];
    return paths.map((path) => line(`${visible(path)}, without a grant for it`, label('wrote', style.bad)));
  },
  // Passed checks are listed in the report that follows.
  'run.verified': ({ results }, style) => {
    const all = results as readonly Result[];
    const missed = all.filter(({ result }) => result !== 'passed' && result !== 'not-checkable');
    if (missed.length === 0) return [];
    const passed = all.filter(({ result }) => result === 'passed').length;
    const head = line(`${missed.length} not passed, ${passed} passed`, label('checks', style.bad));
    return [head, ...missed.map((each) => below(checkText(each, style)))];
  },
  'order.requeued': ({ alternative, agent, dueAt, quota }, style) => {
    if (typeof quota === 'string') {
      return [line(quotaWaitText({ account: quota, until: String(dueAt) }, style.nowMs), label('waits', style.open))];
    }
    const waitMs = Date.parse(String(dueAt)) - style.nowMs;
    const when = waitMs > SOON_MS ? ` in ${durationText(waitMs)}` : '';
    const who = typeof alternative === 'number' ? `, with ${words(agent) || 'another model'}` : '';
    return [line(`retrying${when}${who}; the agent is told what failed`, label('again', style.open))];
  },
  'order.rolled_back': ({ files }, style) =>
    (files as readonly { path: string; status: string }[]).map(({ path, status }) =>
      status === 'SUCCESS'
        ? line(`${visible(path)} is restored`, label('back', style.open))
        : line(`${visible(path)} could not be restored`, label('back', style.bad)),
    ),
};

function checkText({ id, result, message, why = message }: Result, style: Style): string {
  if (result === 'passed') return `${style.good('✓')} ${visible(id)}`;
  if (result === 'not-checkable') return `- ${visible(id)}: ${visible(message)}`;
  if (result === 'could-not-run') return `${style.open('?')} ${visible(id)} could not run: ${visible(why)}`;
  return `${style.bad('✗')} ${visible(id)}: ${visible(why)}`;
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
