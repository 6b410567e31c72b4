import { LOCK_WAIT_MS_MAX } from '../../domain/limits.ts';
import { findHolder } from '../../node/folder-holder.ts';
import { trySandbox } from '../../node/try-sandbox.ts';
import { systemClock } from '../../platform/clock.ts';
import { systemTimer } from '../../platform/timer.ts';
import { recentRepositoryStatus } from '../../workspace/repository-status.ts';
import { ownFolderOf } from '../call-folder.ts';
import type { Call } from '../command.ts';
import { carriedElsewhere } from './carried-elsewhere.ts';
import type { CarryingNode } from './serve-run.ts';

/** Connects to the node that will run the order; without one, this process is the node until the order is done. */
export async function openRunNode(call: Call, workspace: string): Promise<CarryingNode> {
  const dataFolder = ownFolderOf(call);
  const timer = systemTimer();
  const holder = await findHolder(dataFolder, timer, LOCK_WAIT_MS_MAX);
  if (holder.kind === 'self' && !call.flags.detach) {
    // The plan waits for both, and reports what is wrong; they work while the code of the node is loaded.
    recentRepositoryStatus(workspace, systemClock()).catch(() => undefined);
    trySandbox().catch(() => undefined);
    await timer.breathe();
    const { serveRun } = await import('./serve-run.ts');
    return await serveRun(call, dataFolder, holder.lock);
  }
  if (holder.kind === 'self') {
    // The caller does not wait, so a node in the background runs the order.
    holder.lock.release();
    const { startNodeDetached } = await import('../node/start-node-detached.ts');
    await startNodeDetached(call, dataFolder);
  }
  return await carriedElsewhere(call, dataFolder);
}
