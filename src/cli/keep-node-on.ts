import type { ListenPlace } from '../api/http/listen-address.ts';
import { NODE_FATAL_ANSWERS_MS, NODE_STOP_MS_MAX } from '../domain/limits.ts';
import type { LedgerFault } from '../ledger/fault.ts';
import { type ServedNode, serveNode } from '../node/serve-node.ts';
import type { FolderLock } from '../platform/folder-lock.ts';
import { faultFacts, type Logger } from '../platform/logger.ts';
import { removeNodeFile } from '../platform/node-file.ts';
import { onStopSignal, type StopSignal } from '../platform/own-process.ts';
import { systemTimer } from '../platform/timer.ts';

export interface KeepOptions {
  readonly dataFolder: string;
  /** Of the HTTP door. */
  readonly place: ListenPlace;
  readonly log: Logger;
  /** Of the folder; it is let go when the node ends. */
  readonly lock: FolderLock;
}

export interface KeptNode {
  readonly node: ServedNode;
  /** When it has been stopped: how the process should end. */
  readonly ended: Promise<number>;
  stop(): Promise<number>;
}

/** A node until a signal: the first one ends it cleanly, the second at once, and so does time. */
export async function keepNodeOn({ dataFolder, place, log, lock }: KeepOptions): Promise<KeptNode> {
  const timer = systemTimer();
  const endNow = (status: number): never => {
    removeNodeFile(dataFolder);
    process.exit(status);
  };
  const onFatal = (fault: LedgerFault) => {
    log.log('node.failed', faultFacts(fault));
    // Those who wait for an answer are told first that there is none.
    timer.after(NODE_FATAL_ANSWERS_MS, () => endNow(1));
  };
  const asked = new Promise<void>((resolve) => {
    let count = 0;
    onStopSignal((signal: StopSignal) => {
      log.log('node.stopping', { signal });
      if (++count > 1) endNow(1);
      timer.after(NODE_STOP_MS_MAX - NODE_FATAL_ANSWERS_MS, () => endNow(1));
      resolve();
    });
  });
  const node = await serveNode({ dataFolder, place, log, timer, onFatal, lock });
  const stop = async () => {
    await node.stop();
    return node.isDamaged() ? 1 : 0;
  };
  return { node, ended: asked.then(stop), stop };
}
