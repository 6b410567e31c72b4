import type { EventView } from '../../api/contract.ts';
import type { QuotaWait } from '../../api/task/task-wait.ts';
import { folderFlagOf } from '../call-parts.ts';
import type { Call } from '../command.ts';
import {
  type AskedOrder,
  questionPauseLines,
  questionPauseValue,
  quotaPauseLines,
  quotaPauseValue,
} from './pause-text.ts';
import type { RunUpdate } from './run-text.ts';

/** The last update of a command that leaves an order waiting for its vendor. */
export function pauseFor(call: Call, task: string, quota: QuotaWait): RunUpdate {
  const pause = { task, quota, folderFlag: folderFlagOf(call) };
  return { kind: 'left-waiting', value: quotaPauseValue(pause), say: (style) => quotaPauseLines(pause, style) };
}

/** The last update of a command whose order waits for a person. */
export function askFor(call: Call, task: string, asked: AskedOrder): RunUpdate {
  const pause = { task, ...asked, folderFlag: folderFlagOf(call) };
  return { kind: 'left-waiting', value: questionPauseValue(pause), say: (style) => questionPauseLines(pause, style) };
}

/** The question that an order waits for from this event on. */
export function askedBy({ type, payload: { question, reason } }: EventView): AskedOrder | null {
  return type === 'order.requeued' && typeof question === 'string' ? { question, reason: String(reason) } : null;
}

/** The quota that an order waits for from this event on. */
export function quotaWaitOf({ type, payload: { quota: account, dueAt } }: EventView): QuotaWait | null {
  return type === 'order.requeued' && typeof account === 'string' ? { account, until: String(dueAt) } : null;
}
