import { DAEMON_LOCK_WAIT_MS_MAX } from '../domain/limits.ts';
import { holdFolder } from '../node/folder-holder.ts';
import type { Logger } from '../platform/logger.ts';
import { systemTimer } from '../platform/timer.ts';
import type { Call } from './command.ts';
import type { KeptNode } from './keep-node-on.ts';

export interface FolderNodeOptions {
  readonly call: Call;
  readonly dataFolder: string;
  readonly log: Logger;
}

/** The folder is held before the node and its configuration are loaded: one that is one too many is gone in a moment. */
export async function keepFolderNode({ call, dataFolder, log }: FolderNodeOptions): Promise<KeptNode> {
  const lock = await holdFolder(dataFolder, systemTimer(), DAEMON_LOCK_WAIT_MS_MAX);
  try {
    const { doorSettings } = await import('./door-settings.ts');
    const { keepNodeOn } = await import('./keep-node-on.ts');
    return await keepNodeOn({ dataFolder, place: doorSettings(call, dataFolder), log, lock });
  } catch (error) {
    lock.release();
    throw error;
  }
}
