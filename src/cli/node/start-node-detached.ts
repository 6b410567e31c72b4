import { join } from 'node:path';
import { NODE_LOG_BYTES_MAX, NODE_START_MS_MAX } from '../../domain/limits.ts';
import { holdFolder } from '../../node/folder/folder-holder.ts';
import { systemClock } from '../../platform/clock.ts';
import { fileLogger, type Logger } from '../../platform/logger.ts';
import { type DetachOutcome, startDetached } from '../../platform/process/detached.ts';
import { systemTimer } from '../../platform/timer.ts';
import { type Answer, type Call, UsageError } from '../command.ts';
import type { ExplainedFault } from '../explain-fault.ts';
import { type UpAnswer, upText } from './node-text.ts';

/** File name in the data folder. */
const NODE_LOG = 'node.log';

/** The log file of a node that has no stderr of its own. */
export function nodeLogger(dataFolder: string): Logger {
  return fileLogger(systemClock(), join(dataFolder, NODE_LOG), NODE_LOG_BYTES_MAX);
}

/** Message of the background process to the one that started it. */
type StartMessage = ({ readonly kind: 'ready' } & Pick<UpAnswer, 'url' | 'pid' | 'dashboard'>) | FailedStart;
type FailedStart = ExplainedFault & { readonly kind: 'failed' };

export async function startNodeDetached(call: Call, dataFolder: string): Promise<Answer<UpAnswer>> {
  const timer = systemTimer();
  // Checked here first: a second node must not even open the log.
  (await holdFolder(dataFolder, timer)).release();
  const log = join(dataFolder, NODE_LOG);
  const { serverSettings } = await import('./server-settings.ts');
  const args = ['up', '--data', dataFolder, '--port', String(serverSettings(call, dataFolder).port)];
  const outcome = await startDetached<StartMessage>({ args, logFile: log, waitMsMax: NODE_START_MS_MAX, timer });
  const { url, pid, dashboard } = readyNode(outcome, log);
  return { values: [{ url, pid, data: dataFolder, log, dashboard }], human: upText, exitCode: () => 0 };
}

function readyNode(outcome: DetachOutcome<StartMessage>, log: string): Extract<StartMessage, { kind: 'ready' }> {
  if (outcome.kind === 'told' && outcome.message.kind === 'ready') return outcome.message;
  if (outcome.kind === 'told') {
    const { refusal, code } = outcome.message as FailedStart;
    throw new UsageError(refusal.message, refusal.hint, code);
  }
  const what =
    outcome.kind === 'late'
      ? `the node (process ${outcome.pid}) is not ready after ${NODE_START_MS_MAX / 1000} s; it is still starting`
      : `the node exited with ${outcome.status} before it was ready`;
  throw new UsageError(what, `see ${log}`, 'node_not_ready');
}
