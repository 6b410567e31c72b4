import type { TaskView } from '../../api/task/task-view.ts';
import { assertNever } from '../../domain/assert-never.ts';
import type { OrderPlan } from '../../domain/order/order-request.ts';
import type { Refusal } from '../../domain/refusal.ts';
import { jsonLine } from '../../domain/words/json-line.ts';
import { foldLines, type Line, line } from '../output/lines.ts';
import type { Style } from '../output/style.ts';
import { durationText } from '../output/time-text.ts';
import { visible } from '../output/visible.ts';
import { type FeedbackUpdate, feedbackLines } from '../review/feedback-text.ts';
import { activityText } from '../trace/activity-text.ts';
import { liveLines } from '../trace/story-text.ts';
import { type Ending, reportLines } from '../work/report-text.ts';
import type { OrderUpdate } from './follow-order.ts';
import { orderLines } from './order-line.ts';
import { below, planLines, planTaskLine } from './plan-text.ts';

/** The output of `baton run`: the plan, then events and output, then the report. */
export type RunUpdate =
  | Exclude<OrderUpdate, { readonly kind: 'report' | 'checking' }>
  /** With the commands of the checks, where they are known. */
  | (Extract<OrderUpdate, { readonly kind: 'checking' }> & { readonly checks: readonly string[] })
  | ({ readonly kind: 'report' } & Ending)
  | { readonly kind: 'plan'; readonly plan: OrderPlan; readonly task: string }
  | { readonly kind: 'taken'; readonly task: Pick<TaskView, 'id' | 'title'> }
  /** The order is not over, and this command ends: as data, and for people. */
  | { readonly kind: 'left-waiting'; readonly value: object; say(style: Style): readonly Line[] }
  /** Another agent reviews the work. */
  | { readonly kind: 'review'; readonly update: Exclude<FeedbackUpdate, { readonly kind: 'refusal' }> }
  | { readonly kind: 'message'; readonly message: object };

/** Null for what is not shown. */
export function runText(seen: RunUpdate, style: Style): string | Refusal | null {
  if (seen.kind === 'message') return jsonLine(seen.message);
  if (seen.kind === 'refusal') return seen.refusal;
  const lines = linesOf(seen, style);
  return lines.length === 0 ? null : foldLines(lines, style.columns);
}

function linesOf(seen: Exclude<RunUpdate, { readonly kind: 'message' | 'refusal' }>, style: Style): readonly Line[] {
  switch (seen.kind) {
    case 'plan':
      return planLines(seen.plan, style, seen.task);
    case 'taken':
      return [planTaskLine(seen.task.title, style, seen.task.id)];
    case 'output':
      return outputLines(seen, style);
    case 'event':
      return orderLines(seen.event, style);
    case 'activity':
      return [below(style.faint(`· ${activityText(seen.activity, style.nowMs)}`))];
    case 'checking':
      return [below(style.faint(`· ${checkingText(seen)}`))];
    case 'report':
      return reportLines(seen, style);
    case 'review':
      return feedbackLines(seen.update, style);
    case 'left-waiting':
      return seen.say(style);
    default:
      return assertNever(seen);
  }
}

function checkingText({ isAfter, forMs, checks }: Extract<RunUpdate, { readonly kind: 'checking' }>): string {
  const time = durationText(forMs);
  const named = checks.length === 0 ? '' : ` (${checks.map(visible).join(', ')})`;
  if (isAfter) return `the checks${named} have been running for ${time}`;
  return `not begun after ${time}: the checks before the work${named} run, or it waits for its turn`;
}

/** Behind a bar, so that it is not taken for Baton's. */
function outputLines({ entries }: Extract<RunUpdate, { readonly kind: 'output' }>, style: Style): readonly Line[] {
  const { head: indent } = below('');
  return liveLines(entries, style).map(({ head, words, hang }) =>
    line(style.faint(`│ ${head}${words}`), indent, `${indent}${style.faint('│ ')}${hang}`),
  );
}
