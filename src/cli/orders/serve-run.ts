import type { NodeClient } from '../../api/node-client.ts';
import { serveNode } from '../../node/serve-node.ts';
import type { FolderLock } from '../../platform/folder-lock.ts';
import { isInteractive } from '../../platform/terminal.ts';
import { type Timer, waitAtMost } from '../../platform/timer.ts';
import type { Call } from '../command.ts';
import { namingClient } from '../node/naming-client.ts';
import { nodeLogger } from '../node/start-node-detached.ts';
import { endOnFault } from '../output/end-on-fault.ts';

/** The node that runs an order: a running one, or this process. */
export interface CarryingNode {
  readonly client: NodeClient;
  /** This process is the node, perhaps because the first one went away: it must not exit before its runs have ended. */
  readonly isOurs: boolean;
  /** Has the node carry out a task, and a node that takes its place as well. */
  carry(task: string): Promise<void>;
  /** Its pauses end early when something changes, if this process is the node. */
  readonly timer: Pick<Timer, 'pause'>;
  close(): Promise<void>;
}

/** Makes this process the node while its run takes. */
export async function serveRun(call: Call, dataFolder: string, lock: FolderLock): Promise<CarryingNode> {
  const log = nodeLogger(dataFolder);
  const onFatal = (fault: Error) => endOnFault(fault, Boolean(call.flags.json));
  const place = { host: '127.0.0.1', port: 0 };
  const isAttended = isInteractive() && !call.flags.json;
  const how = { isDoorLate: true, isForAsked: true, isAttended };
  const node = await serveNode({ dataFolder, place, log, lock, onFatal, ...how });
  const pause = async (milliseconds: number) => void (await waitAtMost(node.changed(), milliseconds));
  const client = namingClient(call, dataFolder, node.client);
  const carry = async (task: string) => void (await client.carryTask({ task }));
  return { client, isOurs: true, carry, timer: { pause }, close: () => node.stop() };
}
