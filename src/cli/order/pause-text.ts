import type { QuotaWait } from '../../api/task/task-wait.ts';
import { vendorOfAccount } from '../../domain/agent/quota.ts';
import { type Line, line, nextLine } from '../output/lines.ts';
import type { Style } from '../output/style.ts';
import { durationText, timeText } from '../output/time-text.ts';
import { visible } from '../output/visible.ts';

/** An order that waits for its vendor's quota, and nobody is left to wait with it. */
interface OutOfQuotaPause {
  readonly task: string;
  readonly quota: QuotaWait;
  /** Names the data folder in calls to come, where one was named in this. */
  readonly folderFlag: string;
}

/** `waiting for quota of claude until 14:20 (in 2 h)` */
export function quotaWaitText({ account, until }: QuotaWait, nowMs: number): string {
  const vendor = visible(vendorOfAccount(account));
  const leftMs = Math.max(0, Date.parse(until) - nowMs);
  return `waiting for quota of ${vendor} until ${timeText(until, nowMs)} (in ${durationText(leftMs)})`;
}

export function quotaPauseLines({ task, quota, folderFlag }: OutOfQuotaPause, style: Style): readonly Line[] {
  const waits = `${style.strong(task)} is ${quotaWaitText(quota, style.nowMs)}; its work so far is kept`;
  return [
    line(''),
    line(waits, `${style.open('out of quota')}  `),
    nextLine(`baton up -d${folderFlag}`, style.faint('a node that waits and then continues it')),
    nextLine(`baton run ${task}${folderFlag}`, style.faint('continue it after that time')),
    nextLine(`baton continue ${task} --agent NAME${folderFlag}`, style.faint('give it to another agent now')),
  ];
}

/** The same for programs. */
export function quotaPauseValue({ task, quota, folderFlag }: OutOfQuotaPause): object {
  const hint = `baton up -d${folderFlag} waits and continues it; baton run ${task}${folderFlag} continues it after that time`;
  return { verdict: 'waiting', code: 'E_MODEL_UNAVAILABLE', task, quota, hint };
}

/** The question that an order waits for. */
export interface AskedOrder {
  readonly question: string;
  readonly reason: string;
}

interface QuestionPause extends AskedOrder, Pick<OutOfQuotaPause, 'task' | 'folderFlag'> {}

function answersTo({ task, folderFlag }: QuestionPause): readonly [yes: string, no: string] {
  return [`baton answer ${task} yes${folderFlag}`, `baton answer ${task} no${folderFlag}`];
}

export function questionPauseLines(pause: QuestionPause, style: Style): readonly Line[] {
  const [yes, no] = answersTo(pause);
  const waits = `waits for your answer: ${visible(pause.reason)}; its work so far is kept`;
  return [
    line(''),
    line(`${style.strong(pause.task)} ${waits}`, `${style.open('needs you')}  `),
    nextLine(yes, style.faint(`continue; without a node, baton run ${pause.task} then starts it`)),
    nextLine(no, style.faint('stop it, and keep the work'), yes.length),
  ];
}

/** The same for programs. */
export function questionPauseValue(pause: QuestionPause): object {
  const { task, question, reason, folderFlag } = pause;
  const [yes, no] = answersTo(pause);
  const hint = `${yes} continues it, ${no} stops it; baton run ${task}${folderFlag} starts it after a yes where no node runs`;
  return { verdict: 'paused', code: 'needs_answer', task, question, why: reason, hint };
}
