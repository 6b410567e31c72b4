import type { TaskWait } from '../../api/task/task-wait.ts';
import { reasonSentence, type TaskReason } from '../../domain/task/task-reason.ts';
import { quotaWaitText } from '../order/pause-text.ts';
import { visible } from '../output/visible.ts';
import { remoteText } from './remote-text.ts';

/** Null where there is no reason. */
export function reasonText(reason: TaskReason): string | null {
  const sentence = reasonSentence(reason);
  return sentence === null ? null : visible(sentence);
}

/** The obstacle that a waiting task meets; null for one that starts by itself. */
export function waitText({ missingAgent, quota, remote }: TaskWait, nowMs: number): string | null {
  if (remote?.direction === 'sent' && remote.node === null) return remoteText(remote, nowMs);
  if (quota !== null) return quotaWaitText(quota, nowMs);
  return missingAgent === null ? null : `waits for agent ${visible(missingAgent)}, which is not configured`;
}
