import type { EventView } from '../../api/contract.ts';
import type { QuotaWait } from '../../api/task-wait.ts';
import { folderFlagOf } from '../call-parts.ts';
import type { Call } from '../command.ts';
import { line, nextLine } from '../output/lines.ts';
import { quotaPauseLines, quotaPauseValue } from '../output/pause-text.ts';
import type { RunUpdate } from '../output/run-text.ts';
import type { Style } from '../output/style.ts';
import { visible } from '../output/visible.ts';

/** The last update of a command that leaves an order waiting for its vendor. */
export function pauseFor(call: Call, task: string, quota: QuotaWait): RunUpdate {
  const pause = { task, quota, folderFlag: folderFlagOf(call) };
  return { kind: 'left-waiting', value: quotaPauseValue(pause), say: (style) => quotaPauseLines(pause, style) };
}

/** The last update of a command whose order waits for a person. */
export function askFor(call: Call, task: string, { question, reason }: AskedOrder): RunUpdate {
  const folderFlag = folderFlagOf(call);
  const next = [`baton answer ${task} yes${folderFlag}`, `baton answer ${task} no${folderFlag}`] as const;
  const hint = `${next[0]} goes on, ${next[1]} stops it; baton run ${task}${folderFlag} starts it after a yes where no node runs`;
  const value = { verdict: 'paused', code: 'needs_answer', task, question, why: reason, hint };
  const waits = `waits for your answer: ${visible(reason)}; its work so far is kept`;
  const say = (style: Style) => [
    line(''),
    line(`${style.strong(task)} ${waits}`, `${style.open('needs you')}  `),
    nextLine(next[0], style.faint(`go on; without a node, baton run ${task} then starts it`)),
    nextLine(next[1], style.faint('stop it, and keep the work'), next[0].length),
  ];
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
