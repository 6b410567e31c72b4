import type { QuotaWait } from '../../api/contract.ts';
import type { Style } from './style.ts';
import { durationText, timeText } from './time-text.ts';
import { visible } from './visible.ts';

/** An order that waits for its vendor's quota, and nobody is left to wait with it. */
interface OutOfQuotaPause {
  readonly task: string;
  readonly quota: QuotaWait;
  /** Names the data folder in calls to come, where one was named in this. */
  readonly folderFlag: string;
}

/** `waiting for quota of claude until 14:20 (in 2 h)` */
export function quotaWaitText({ account, until }: QuotaWait, nowMs: number): string {
  const vendor = visible(account.split(':', 1)[0] ?? account);
  const leftMs = Math.max(0, Date.parse(until) - nowMs);
  return `waiting for quota of ${vendor} until ${timeText(until, nowMs)} (in ${durationText(leftMs)})`;
}

export function quotaPauseText({ task, quota, folderFlag }: OutOfQuotaPause, style: Style): string {
  return [
    '',
    `${style.open('out of quota')}  ${style.strong(task)} is ${quotaWaitText(quota, style.nowMs)}; its work so far is kept`,
    `next: baton up -d${folderFlag}  ${style.faint('a node that waits and goes on by itself')}`,
    `next: baton run ${task}${folderFlag}  ${style.faint('go on, after that time')}`,
    `next: baton continue ${task} --agent NAME${folderFlag}  ${style.faint('give it to another agent now')}`,
  ].join('\n');
}

/** The same for programs. */
export function quotaPauseValue({ task, quota, folderFlag }: OutOfQuotaPause): object {
  const hint = `baton up -d${folderFlag} waits and goes on; baton run ${task}${folderFlag} goes on after that time`;
  return { verdict: 'waiting', code: 'E_MODEL_UNAVAILABLE', task, quota, hint };
}
