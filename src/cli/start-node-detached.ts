import { join } from 'node:path';
import { DAEMON_LOCK_WAIT_MS_MAX, NODE_START_MS_MAX } from '../domain/limits.ts';
import { holdFolder } from '../node/folder-holder.ts';
import { type DetachOutcome, startDetached } from '../platform/detached.ts';
import { systemTimer } from '../platform/timer.ts';
import { type Answer, type Call, UsageError } from './command.ts';
import type { ExplainedFault } from './explain-fault.ts';
import { type UpAnswer, upText } from './output/node-text.ts';

/** In the data folder. */
export const NODE_LOG = 'node.log';

/** What the process in the background tells the one that started it. */
type Told = { readonly kind: 'ready'; readonly url: string; readonly pid: number } | FailedStart;
type FailedStart = ExplainedFault & { readonly kind: 'failed' };

export async function startNodeDetached(call: Call, dataFolder: string): Promise<Answer<UpAnswer>> {
  const timer = systemTimer();
  // Asked here first: a node that is one too many does not even open its log.
  (await holdFolder(dataFolder, timer, DAEMON_LOCK_WAIT_MS_MAX)).release();
  const log = join(dataFolder, NODE_LOG);
  const { doorSettings } = await import('./door-settings.ts');
  const args = ['up', '--data', dataFolder, '--port', String(doorSettings(call, dataFolder).port)];
  const outcome = await startDetached<Told>({ args, logFile: log, waitMsMax: NODE_START_MS_MAX, timer });
  const { url, pid } = readyNode(outcome, log);
  return { values: [{ url, pid, data: dataFolder, log }], human: upText, exitCode: () => 0 };
}

function readyNode(outcome: DetachOutcome<Told>, log: string): Extract<Told, { kind: 'ready' }> {
  if (outcome.kind === 'told' && outcome.message.kind === 'ready') return outcome.message;
  if (outcome.kind === 'told') {
    const { refusal, code } = outcome.message as FailedStart;
    throw new UsageError(refusal.message, refusal.hint, code);
  }
  const what =
    outcome.kind === 'late'
      ? `the node (process ${outcome.pid}) is not ready after ${NODE_START_MS_MAX / 1000} s; it goes on starting`
      : `the node ended before it was ready, with ${outcome.status}`;
  throw new UsageError(what, `look into ${log}`, 'node_not_ready');
}
