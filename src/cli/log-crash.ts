import { faultFacts, type Logger } from '../platform/logger.ts';
import { removeNodeFile } from '../platform/node-file.ts';
import { onCrash } from '../platform/on-crash.ts';

/** A bug is a line of the log too: who reads it reads one event a line. */
export function logCrash(log: Logger, dataFolder: string): void {
  onCrash((error) => {
    log.log('node.crashed', faultFacts(error));
    removeNodeFile(dataFolder);
  });
}
