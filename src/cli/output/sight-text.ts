import type { OrderPlan } from '../../api/order-contract.ts';
import type { Refusal } from '../../domain/refusal.ts';
import type { OrderSight } from '../orders/follow-order.ts';
import type { Look } from './look.ts';
import { orderLine } from './order-line.ts';
import { planText } from './plan-text.ts';
import { reportText } from './report-text.ts';
import { visibleLines } from './visible.ts';

/** What a person sees of an order: its plan first, then whatever happens, and at the end the report. */
export type Seen =
  | OrderSight
  | { readonly kind: 'plan'; readonly plan: OrderPlan; readonly task: string }
  | { readonly kind: 'message'; readonly message: object };

/** Null where it tells a person nothing. */
export function sightText(seen: Seen, look: Look): string | Refusal | null {
  switch (seen.kind) {
    case 'plan':
      return planText(seen.plan, look, seen.task);
    case 'message':
      return JSON.stringify(seen.message);
    case 'output':
      return look.faint(indented(seen.text));
    case 'event':
      return orderLine(seen.event, look);
    case 'report':
      return reportText(seen.report, look);
    case 'refusal':
      return seen.refusal;
  }
}

/** What the agent printed stands apart from what Baton says. */
function indented(text: string): string {
  return visibleLines(text.trimEnd())
    .split('\n')
    .map((line) => `  │ ${line}`)
    .join('\n');
}
