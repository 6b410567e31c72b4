import { join } from 'node:path';
import type { NodeClient } from './api/contract.ts';
import { inProcessClient } from './api/in-process/client.ts';
import { LOCK_WAIT_MS_MAX } from './domain/limits.ts';
import { isRefusal } from './domain/refusal.ts';
import type { LedgerFault } from './ledger/fault.ts';
import { Ledger } from './ledger/ledger.ts';
import { prepareLedger } from './operations/prepare-ledger.ts';
import { recoverRuns } from './operations/recover-runs.ts';
import { type Clock, systemClock } from './platform/clock.ts';
import { lockDataFolder, makeDataFolder } from './platform/data-folder.ts';
import { type Ids, randomIds } from './platform/ids.ts';
import { Mirror } from './tree/mirror.ts';

export interface NodeOptions {
  readonly dataFolder: string;
  readonly clock?: Clock;
  readonly ids?: Ids;
  /** The ledger failed in a way that only a new process can mend. */
  onFatal(fault: LedgerFault): void;
}

/** The composition root: parts are made and started in order, and stopped in reverse. */
export async function openNode(options: NodeOptions): Promise<NodeClient> {
  const { dataFolder, clock = systemClock(), ids = randomIds() } = options;
  makeDataFolder(dataFolder);
  const lock = await lockDataFolder(dataFolder, LOCK_WAIT_MS_MAX);
  try {
    const ledger = new Ledger({ file: join(dataFolder, 'ledger.sqlite'), clock, ids, onFatal: options.onFatal });
    const prepared = await ledger.submit(prepareLedger, {});
    if (isRefusal(prepared)) throw new Error(prepared.message);
    const mirror = new Mirror({ ledger, root: dataFolder, clock, ids });
    mirror.start();
    await ledger.submit(recoverRuns, {});
    const close = async () => {
      await mirror.stop();
      ledger.close();
      lock.release();
    };
    return inProcessClient({ ledger, dataFolder, treeSettled: () => mirror.settled(), close });
  } catch (error) {
    lock.release();
    throw error;
  }
}
