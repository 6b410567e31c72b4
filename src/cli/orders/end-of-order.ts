import type { EventView, QuotaWait } from '../../api/contract.ts';
import type { OrderReport } from '../../api/order-contract.ts';
import { folderFlagOf } from '../call-parts.ts';
import type { Call } from '../command.ts';
import type { Look } from '../output/look.ts';
import { quotaPauseText, quotaPauseValue } from '../output/pause-text.ts';
import type { RunUpdate } from '../output/run-text.ts';
import { visible } from '../output/visible.ts';

const EXIT_STOPPED = 130;
/** Somebody has to go on with it. */
export const EXIT_PAUSED = 5;
export const EXIT_OUT_OF_QUOTA = 75;

/** The last update of a command that leaves an order waiting for its vendor. */
export function pauseFor(call: Call, task: string, quota: QuotaWait): RunUpdate {
  const pause = { task, quota, folderFlag: folderFlagOf(call) };
  return { kind: 'left-waiting', value: quotaPauseValue(pause), say: (look) => quotaPauseText(pause, look) };
}

/** The last update of a command whose order waits for a person. */
export function askFor(call: Call, task: string, { question, reason }: AskedOrder): RunUpdate {
  const folderFlag = folderFlagOf(call);
  const next = [`baton answer ${task} yes${folderFlag}`, `baton answer ${task} no${folderFlag}`] as const;
  const hint = `${next[0]} goes on, ${next[1]} stops it; baton run ${task}${folderFlag} starts it after a yes where no node runs`;
  const value = { verdict: 'paused', code: 'needs_answer', task, question, why: reason, hint };
  const say = (look: Look) =>
    [
      '',
      `${look.open('needs you')}  ${look.strong(task)} waits for your answer: ${visible(reason)}; its work so far is kept`,
      `next: ${next[0]}  ${look.faint(`go on; without a node, baton run ${task} then starts it`)}`,
      `next: ${next[1]}   ${look.faint('stop it, and keep the work')}`,
    ].join('\n');
  return { kind: 'left-waiting', value, say };
}

interface AskedOrder {
  readonly question: string;
  readonly reason: string;
}

/** The question that an order waits for from this event on. */
export function askedBy({ type, payload: { question, reason } }: EventView): AskedOrder | null {
  return type === 'order.requeued' && typeof question === 'string' ? { question, reason: String(reason) } : null;
}

/** The quota that an order waits for from this event on. */
export function quotaWaitOf({ type, payload: { quota: account, dueAt } }: EventView): QuotaWait | null {
  return type === 'order.requeued' && typeof account === 'string' ? { account, until: String(dueAt) } : null;
}

/** 0 SUCCESS · 1 FAILURE · 3 PARTIAL_SUCCESS or unchecked · 4 ABORTED · 130 stopped by the operator. */
export function exitCodeOf({ signal, isStopped }: Pick<OrderReport, 'signal' | 'isStopped'>): number {
  if (isStopped) return EXIT_STOPPED;
  switch (signal) {
    case 'SUCCESS':
      return 0;
    case 'PARTIAL_SUCCESS':
      return 3;
    case 'ABORTED':
      return 4;
    default:
      return 1;
  }
}
