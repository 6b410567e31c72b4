import { join } from 'node:path';
import type { NodeClient } from '../../api/contract.ts';
import { LOCK_WAIT_MS_MAX, NODE_LOG_BYTES_MAX } from '../../domain/limits.ts';
import { findHolder } from '../../node/folder-holder.ts';
import { systemClock } from '../../platform/clock.ts';
import { fileLogger } from '../../platform/logger.ts';
import { systemTimer } from '../../platform/timer.ts';
import { ownFolderOf } from '../call-folder.ts';
import type { Call } from '../command.ts';
import { endOnFault } from '../output/end-on-fault.ts';
import { NODE_LOG } from '../start-node-detached.ts';

/** A node that carries out orders: the one that is there, or this process. */
export interface RunNode {
  readonly client: NodeClient;
  /** This process carries what runs: it must not go before that has ended. */
  readonly isOurs: boolean;
  close(): Promise<void>;
}

export async function openRunNode(call: Call): Promise<RunNode> {
  if (call.flags.detach) return await (await import('./lasting-node.ts')).openLastingNode(call);
  const dataFolder = ownFolderOf(call);
  const holder = await findHolder(dataFolder, systemTimer(), LOCK_WAIT_MS_MAX);
  const onFatal = (fault: Error) => endOnFault(fault, Boolean(call.flags.json));
  if (holder.kind === 'node') {
    const { connectNode } = await import('../../node/connect-node.ts');
    const client = await connectNode({ dataFolder, onFatal });
    return { client, isOurs: false, close: () => client.close() };
  }
  const { serveNode } = await import('../../node/serve-node.ts');
  const log = fileLogger(systemClock(), join(dataFolder, NODE_LOG), NODE_LOG_BYTES_MAX);
  const node = await serveNode({ dataFolder, port: 0, log, lock: holder.lock, onFatal });
  return { client: node.client, isOurs: true, close: () => node.stop() };
}
