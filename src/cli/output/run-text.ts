import type { TaskView } from '../../api/task-view.ts';
import { jsonLine } from '../../domain/json-line.ts';
import type { OrderPlan } from '../../domain/order-request.ts';
import type { Refusal } from '../../domain/refusal.ts';
import type { OrderUpdate } from '../orders/follow-order.ts';
import { activityText } from './activity-text.ts';
import { fold } from './fold.ts';
import type { Look } from './look.ts';
import { orderLine } from './order-line.ts';
import { below, planText, taskLine } from './plan-text.ts';
import { type Ending, reportText } from './report-text.ts';
import { liveText } from './story-text.ts';

/** The output of `baton run`: the plan, then events and output, then the report. */
export type RunUpdate =
  | Exclude<OrderUpdate, { readonly kind: 'report' }>
  | ({ readonly kind: 'report' } & Ending)
  | { readonly kind: 'plan'; readonly plan: OrderPlan; readonly task: string }
  | { readonly kind: 'taken'; readonly task: Pick<TaskView, 'id' | 'title'> }
  /** The order is not over, and this command ends: as data, and for people. */
  | { readonly kind: 'left-waiting'; readonly value: object; say(look: Look): string }
  | { readonly kind: 'message'; readonly message: object };

/** Null for what is not shown. */
export function runText(seen: RunUpdate, look: Look): string | Refusal | null {
  const text = unfoldedText(seen, look);
  return typeof text === 'string' && seen.kind !== 'message' ? fold(text, look.columns) : text;
}

function unfoldedText(seen: RunUpdate, look: Look): string | Refusal | null {
  switch (seen.kind) {
    case 'plan':
      return planText(seen.plan, look, seen.task);
    case 'taken':
      return taskLine(seen.task.title, look, seen.task.id);
    case 'message':
      return jsonLine(seen.message);
    case 'output':
      return outputText(seen, look);
    case 'event':
      return orderLine(seen.event, look);
    case 'activity':
      return below(look.faint(`· ${activityText(seen.activity, look.nowMs)}`));
    case 'report':
      return reportText(seen, look);
    case 'left-waiting':
      return seen.say(look);
    case 'refusal':
      return seen.refusal;
  }
}

/** Behind a bar, so that it is not taken for Baton's. */
function outputText({ entries }: Extract<RunUpdate, { readonly kind: 'output' }>, look: Look): string | null {
  const lines = liveText(entries, look)?.split('\n');
  return lines?.map((line) => below(look.faint(`│ ${line}`))).join('\n') ?? null;
}
