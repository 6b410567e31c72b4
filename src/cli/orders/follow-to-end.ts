import type { OrderAnswer, OrderReport } from '../../api/order-contract.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { onStopSignal } from '../../platform/stop-signals.ts';
import { wallMs } from '../../platform/terminal.ts';
import { systemTimer } from '../../platform/timer.ts';
import type { Answer, Call } from '../command.ts';
import type { Look } from '../output/look.ts';
import { orderLine } from '../output/order-line.ts';
import { planText } from '../output/plan-text.ts';
import { refusalValue } from '../output/print.ts';
import { reportText } from '../output/report-text.ts';
import { visibleLines } from '../output/visible.ts';
import { exitCodeOf } from './exit-code.ts';
import { followOrder, type OrderSight } from './follow-order.ts';
import type { RunNode } from './run-node.ts';
import { waitForOthers } from './wait-for-others.ts';

const EXIT_STOPPED = 130;
const EXIT_REFUSED = 2;

/** Shows an order until it is reported; Ctrl-C stops it, and once more leaves at once. */
export function followToEnd(call: Call, node: RunNode, { task, plan }: OrderAnswer): Answer<unknown> {
  const { client } = node;
  let exitCode = EXIT_REFUSED;
  const forgetSignals = onStopSignal(stopOnce(() => void client.stopOrder(task.id)));
  const wantsEvents = Boolean(call.flags.events);
  async function* values(): AsyncGenerator<unknown> {
    if (!call.flags.json) yield { kind: 'plan' };
    for await (const sight of followOrder({ client, task: task.id, timer: systemTimer(), after: 0 })) {
      if (sight.kind === 'report') exitCode = exitCodeOf(sight.report);
      if (!call.flags.json) yield sight;
      const message = sight.kind === 'event' ? sight.event.payload.message : undefined;
      if (wantsEvents && typeof message === 'object') yield { kind: 'message', message };
      if (call.flags.json) yield* dataOf(sight);
    }
  }
  const human = (value: unknown, look: Look) =>
    call.flags.json ? '' : sightText(value as Shown, { ...look, nowMs: wallMs() }, () => planText(plan, look, task.id));
  return {
    values: shown(values(), Boolean(call.flags.json)),
    human,
    exitCode: () => exitCode,
    finish: async () => {
      forgetSignals();
      if (node.isOurs) await waitForOthers(client, task.id);
      await node.close();
      return null;
    },
  };
}

type Shown = OrderSight | { readonly kind: 'plan' } | { readonly kind: 'message'; readonly message: object };

/** With --json only messages and the RESPONSE are data; for a person, what says nothing is left out. */
async function* shown(values: AsyncGenerator<unknown>, isJson: boolean): AsyncGenerator<unknown> {
  for await (const value of values) {
    const { kind } = value as { readonly kind?: string };
    if (isJson && kind === 'message') yield (value as { readonly message: object }).message;
    else if (isJson || !isSilent(value as Shown)) yield value;
  }
}

const PLAIN: Look = {
  nowMs: 0,
  strong: (text) => text,
  faint: (text) => text,
  good: (text) => text,
  bad: (text) => text,
  open: (text) => text,
};

function isSilent(value: Shown): boolean {
  return value.kind === 'event' && orderLine(value.event, PLAIN) === null;
}

function* dataOf(sight: OrderSight): Generator<unknown> {
  if (sight.kind === 'report') yield sight.report.response;
  if (sight.kind === 'refusal') yield refusalValue(sight.refusal, sight.refusal.code);
}

function sightText(value: Shown, look: Look, plan: () => string) {
  switch (value.kind) {
    case 'plan':
      return plan();
    case 'message':
      return JSON.stringify(value.message);
    case 'output':
      return look.faint(indented(value.text));
    case 'event':
      return orderLine(value.event, look) ?? '';
    case 'report':
      return reportText(value.report as OrderReport, look);
    case 'refusal':
      return isRefusal(value.refusal) ? value.refusal : '';
    default:
      return '';
  }
}

/** What the agent printed stands apart from what Baton says. */
function indented(text: string): string {
  return visibleLines(text.trimEnd())
    .split('\n')
    .map((line) => `  │ ${line}`)
    .join('\n');
}

function stopOnce(stop: () => void): () => void {
  let isAsked = false;
  return () => {
    if (isAsked) process.exit(EXIT_STOPPED);
    isAsked = true;
    stop();
  };
}
