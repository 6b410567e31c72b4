import { DAEMON_LOCK_WAIT_MS_MAX } from '../domain/limits.ts';
import { holdFolder } from '../node/folder-holder.ts';
import { faultFacts, type Logger } from '../platform/logger.ts';
import { removeNodeFile } from '../platform/node-file.ts';
import { onCrash } from '../platform/own-process.ts';
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
  logCrash(log, dataFolder);
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

/** A bug is a line of the log too: who reads it reads one event a line. */
function logCrash(log: Logger, dataFolder: string): void {
  onCrash((error) => {
    log.log('node.crashed', faultFacts(error));
    removeNodeFile(dataFolder);
  });
}
