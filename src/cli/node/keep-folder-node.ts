import { holdFolder } from '../../node/folder/folder-holder.ts';
import { removeNodeFile } from '../../platform/files/node-file.ts';
import { faultFacts, type Logger } from '../../platform/logger.ts';
import { onCrash } from '../../platform/process/own-process.ts';
import { systemTimer } from '../../platform/timer.ts';
import type { Call } from '../command.ts';
import type { KeptNode } from './keep-node-on.ts';

export interface FolderNodeOptions {
  readonly call: Call;
  readonly dataFolder: string;
  readonly log: Logger;
}

/** Takes the lock of the folder before it loads the node's code, so that a second node exits at once. */
export async function keepFolderNode({ call, dataFolder, log }: FolderNodeOptions): Promise<KeptNode> {
  logCrash(log, dataFolder);
  const lock = await holdFolder(dataFolder, systemTimer());
  try {
    const { serverSettings } = await import('./server-settings.ts');
    const { keepNodeOn } = await import('./keep-node-on.ts');
    return await keepNodeOn({ dataFolder, place: serverSettings(call, dataFolder), log, lock });
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Logs a crash as one event, like everything else in the log. */
function logCrash(log: Logger, dataFolder: string): void {
  onCrash((error) => {
    log.log('node.crashed', faultFacts(error));
    removeNodeFile(dataFolder);
  });
}
