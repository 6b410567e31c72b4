import type { TaskView } from '../../api/task-view.ts';
import { jsonLine } from '../../domain/json-line.ts';
import type { OrderPlan } from '../../domain/order-request.ts';
import type { Refusal } from '../../domain/refusal.ts';
import type { OrderUpdate } from '../orders/follow-order.ts';
import { activityText } from './activity-text.ts';
import { fold } from './fold.ts';
import { orderLine } from './order-line.ts';
import { below, planText, taskLine } from './plan-text.ts';
import { type Ending, reportText } from './report-text.ts';
import { liveText } from './story-text.ts';
import type { Style } from './style.ts';

/** The output of `baton run`: the plan, then events and output, then the report. */
export type RunUpdate =
  | Exclude<OrderUpdate, { readonly kind: 'report' }>
  | ({ readonly kind: 'report' } & Ending)
  | { readonly kind: 'plan'; readonly plan: OrderPlan; readonly task: string }
  | { readonly kind: 'taken'; readonly task: Pick<TaskView, 'id' | 'title'> }
  /** The order is not over, and this command ends: as data, and for people. */
  | { readonly kind: 'left-waiting'; readonly value: object; say(style: Style): string }
  | { readonly kind: 'message'; readonly message: object };

/** Null for what is not shown. */
export function runText(seen: RunUpdate, style: Style): string | Refusal | null {
  const text = unfoldedText(seen, style);
  return typeof text === 'string' && seen.kind !== 'message' ? fold(text, style.columns) : text;
}

function unfoldedText(seen: RunUpdate, style: Style): string | Refusal | null {
  switch (seen.kind) {
    case 'plan':
      return planText(seen.plan, style, seen.task);
    case 'taken':
      return taskLine(seen.task.title, style, seen.task.id);
    case 'message':
      return jsonLine(seen.message);
    case 'output':
      return outputText(seen, style);
    case 'event':
      return orderLine(seen.event, style);
    case 'activity':
      return below(style.faint(`· ${activityText(seen.activity, style.nowMs)}`));
    case 'report':
      return reportText(seen, style);
    case 'left-waiting':
      return seen.say(style);
    case 'refusal':
      return seen.refusal;
  }
}

/** Behind a bar, so that it is not taken for Baton's. */
function outputText({ entries }: Extract<RunUpdate, { readonly kind: 'output' }>, style: Style): string | null {
  const lines = liveText(entries, style)?.split('\n');
  return lines?.map((line) => below(style.faint(`│ ${line}`))).join('\n') ?? null;
}
