import type { NodeClient } from '../../api/node-client.ts';
import { NodeFault } from '../../api/node-fault.ts';
import { LOCK_WAIT_MS_MAX } from '../../domain/limits.ts';
import { findHolder } from '../../node/folder/folder-holder.ts';
import { systemClock } from '../../platform/clock.ts';
import type { FolderLock } from '../../platform/files/folder-lock.ts';
import { isInteractive } from '../../platform/terminal.ts';
import { systemTimer, waitAtMost } from '../../platform/timer.ts';
import { ownFolderOf } from '../call-folder.ts';
import type { Call } from '../command.ts';
import { lastTaskClient } from '../node/last-task-client.ts';
import { openClient } from '../node/open-client.ts';
import { endOnFault } from '../output/end-on-fault.ts';
import { EventWake } from './event-wake.ts';
import type { WakingTimer } from './follow-order.ts';

/** Connects to the node that will run the order; without one, this process is the node until the order is done. */
export async function openOrderNode(call: Call, workspace: string): Promise<OrderNode> {
  const dataFolder = ownFolderOf(call);
  const timer = systemTimer();
  const holder = await findHolder(dataFolder, timer, LOCK_WAIT_MS_MAX);
  if (holder.kind === 'self' && !call.flags.detach) {
    await beginLooking(workspace);
    await timer.breathe();
    return await serveOrder(call, dataFolder, holder.lock);
  }
  if (holder.kind === 'self') {
    // The caller does not wait, so a node in the background runs the order.
    holder.lock.release();
    const { startNodeDetached } = await import('../node/start-node-detached.ts');
    await startNodeDetached(call, dataFolder);
  }
  return await nodeElsewhere(call, dataFolder);
}

/**
 * Starts `git status` and a trial of the sandbox, which work while the code of the node is loaded: git first, because it takes
 * longest. The plan waits for both, and reports what is wrong. A command that finds a node elsewhere loads none of this.
 */
async function beginLooking(workspace: string): Promise<void> {
  const { recentRepositoryStatus } = await import('../../workspace/repository-status.ts');
  recentRepositoryStatus(workspace, systemClock()).catch(() => undefined);
  const { trySandbox } = await import('../../node/agents/try-sandbox.ts');
  trySandbox().catch(() => undefined);
}

/** The task, session or feedback that a node runs for this command. */
type RequestedWork = { readonly task: string } | { readonly session: string } | { readonly feedback: string };

async function carryAt(client: NodeClient, carried: RequestedWork): Promise<void> {
  if ('task' in carried) await client.carryTask(carried);
  else if ('session' in carried) await client.carrySession(carried);
  else await client.carryFeedback(carried);
}

/** The node that runs an order: a running one, or this process. */
export interface OrderNode {
  readonly client: NodeClient;
  /** This process is the node, perhaps because the first one went away: it must not exit before its runs have ended. */
  readonly isOurs: boolean;
  /** Has the node run it, and a node that takes its place as well. Events of `types`, or all, end pauses. */
  carry(carried: RequestedWork, types?: string): Promise<void>;
  /** Its pauses end early when something changes. */
  readonly timer: WakingTimer;
  close(): Promise<void>;
}

/** Makes this process the node until its order is over. */
async function serveOrder(call: Call, dataFolder: string, lock: FolderLock): Promise<OrderNode> {
  const [{ serveNode }, { nodeLogger }] = await Promise.all([
    import('../../node/serve-node.ts'),
    import('../node/start-node-detached.ts'),
  ]);
  const log = nodeLogger(dataFolder);
  const onFatal = (fault: Error) => endOnFault(fault, Boolean(call.flags.json));
  const place = { host: '127.0.0.1', port: 0 };
  const isAttended = isInteractive() && !call.flags.json;
  const how = { isServerLate: true, runsRequestedOnly: true, isAttended };
  const node = await serveNode({ dataFolder, place, log, lock, onFatal, ...how });
  const pause = (milliseconds: number) => waitAtMost(node.changed(), milliseconds);
  const client = lastTaskClient(call, dataFolder, node.client);
  const carry = (carried: RequestedWork) => carryAt(client, carried);
  return { client, isOurs: true, carry, timer: { pause }, close: () => node.stop() };
}

/** The node that carried the order was asked to stop, so this process does not take its place. */
export class NodeStopped extends Error {}

/** Another process runs the order; if it is killed before the order is over, this process takes its place. */
async function nodeElsewhere(call: Call, dataFolder: string): Promise<OrderNode> {
  let own: OrderNode | null = null;
  let carried: RequestedWork | null = null;
  let woken: { readonly type?: string } = {};
  const wake = new EventWake();
  const openHere = async (lock: FolderLock) => {
    const { wasAskedToStop } = await import('../../node/ledger-guard.ts');
    if (carried !== null && wasAskedToStop(dataFolder)) {
      lock.release();
      throw new NodeStopped();
    }
    own = await serveOrder(call, dataFolder, lock);
    return own.client;
  };
  const listen = (to: NodeClient, about: RequestedWork) => {
    // Feedback has no events of its own to wake for: its call answers when something changed.
    if (!('feedback' in about)) void wake.listen(to, { ...about, ...woken });
  };
  const onAgain = async (client: NodeClient) => {
    try {
      if (carried === null) return;
      listen(client, carried);
      await carryAt(client, carried);
    } catch (error) {
      // That node is gone as well: the next call connects again.
      if (!(error instanceof NodeFault)) throw error;
    }
  };
  const client = await openClient(call, { openHere, onAgain });
  return {
    client,
    carry: async (asked, types) => {
      carried = asked;
      woken = types === undefined ? {} : { type: types };
      listen(client, asked);
      await carryAt(client, asked);
    },
    timer: wake,
    get isOurs() {
      return own !== null;
    },
    close: async () => {
      wake.close();
      await (own ?? client).close();
    },
  };
}
