import type { ListenPlace } from '../../api/http/listen-address.ts';
import { NODE_FATAL_ANSWERS_MS, NODE_STOP_MS_MAX } from '../../domain/limits.ts';
import type { LedgerFault } from '../../ledger/fault.ts';
import { type ServedNode, serveNode } from '../../node/serve-node.ts';
import type { FolderLock } from '../../platform/files/folder-lock.ts';
import { removeNodeFile } from '../../platform/files/node-file.ts';
import { faultFacts, type Logger } from '../../platform/logger.ts';
import { onStopSignal, type StopSignal } from '../../platform/process/own-process.ts';
import { systemTimer } from '../../platform/timer.ts';

export interface KeepOptions {
  readonly dataFolder: string;
  /** Address of the HTTP API. */
  readonly place: ListenPlace;
  readonly log: Logger;
  /** Lock of the data folder; released when the node ends. */
  readonly lock: FolderLock;
}

export interface KeptNode {
  readonly node: ServedNode;
  /** Resolves with the exit code after the node has stopped. */
  readonly ended: Promise<number>;
  stop(): Promise<number>;
}

/** Runs a node until a signal. The first signal stops it in order; a second one, or a timeout, at once. */
export async function keepNodeOn({ dataFolder, place, log, lock }: KeepOptions): Promise<KeptNode> {
  const timer = systemTimer();
  const endNow = (status: number): never => {
    removeNodeFile(dataFolder);
    process.exit(status);
  };
  const onFatal = (fault: LedgerFault) => {
    log.log('node.failed', faultFacts(fault));
    // Waiting callers get an error answer first.
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
  const node = await serveNode({ dataFolder, place, log, timer, onFatal, lock, isAttended: true });
  const stop = async () => {
    await node.stop({ isAsked: true });
    return node.isDamaged() ? 1 : 0;
  };
  return { node, ended: asked.then(stop), stop };
}
