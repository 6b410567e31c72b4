import { join } from 'node:path';
import type { NodeClient } from '../../api/node-client.ts';
import { NODE_LOG_BYTES_MAX } from '../../domain/limits.ts';
import { serveNode } from '../../node/serve-node.ts';
import { systemClock } from '../../platform/clock.ts';
import type { FolderLock } from '../../platform/folder-lock.ts';
import { fileLogger } from '../../platform/logger.ts';
import { type Timer, waitAtMost } from '../../platform/timer.ts';
import type { Call } from '../command.ts';
import { NODE_LOG } from '../node/start-node-detached.ts';
import { endOnFault } from '../output/end-on-fault.ts';

/** The node that runs an order: a running one, or this process. */
export interface CarryingNode {
  readonly client: NodeClient;
  /** This process is the node, perhaps because the first one went away: it must not exit before its runs have ended. */
  readonly isOurs: boolean;
  /** Its pauses end early when something changes, if this process is the node. */
  readonly timer: Pick<Timer, 'pause'>;
  close(): Promise<void>;
}

/** Makes this process the node while its run takes. */
export async function serveRun(call: Call, dataFolder: string, lock: FolderLock): Promise<CarryingNode> {
  const log = fileLogger(systemClock(), join(dataFolder, NODE_LOG), NODE_LOG_BYTES_MAX);
  const onFatal = (fault: Error) => endOnFault(fault, Boolean(call.flags.json));
  const place = { host: '127.0.0.1', port: 0 };
  const node = await serveNode({ dataFolder, place, log, lock, onFatal, isDoorLate: true });
  const pause = async (milliseconds: number) => void (await waitAtMost(node.changed(), milliseconds));
  return { client: node.client, isOurs: true, timer: { pause }, close: () => node.stop() };
}
