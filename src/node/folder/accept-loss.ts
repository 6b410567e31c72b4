import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import { treeKeptAs } from '../../ledger/restore.ts';
import { lastSeq } from '../../ledger/statements/events.ts';
import { type NodeOptions, openLedger, startNode } from '../../node.ts';
import { recordLoss } from '../../operations/record-loss.ts';
import { systemClock } from '../../platform/clock.ts';
import { systemTimer } from '../../platform/timer.ts';
import { describeLoss, findLostEvents, type LostEvents } from '../../tree/find-lost-events.ts';
import { holdFolder } from './folder-holder.ts';

export interface AcceptedLoss {
  readonly from: 'ledger';
  /** The data folder. */
  readonly data: string;
  readonly lost: LostEvents;
  /** The new path of the files that the ledger no longer knows. */
  readonly treeKeptAs: string | null;
}

/**
 * Continues with a ledger that has lost events, at the operator's word. Numbers and names that the lost events had are
 * not given again. The old files are moved aside and written again.
 */
export async function acceptLoss(options: NodeOptions): Promise<AcceptedLoss | Refusal> {
  const { dataFolder, clock = systemClock(), timer = systemTimer() } = options;
  const lock = options.lock ?? (await holdFolder(dataFolder, timer));
  try {
    const stamp = new Date(clock.now().wallMs).toISOString().replaceAll(/[-:]/g, '');
    const lost = await writeLoss(options, treeKeptAs(stamp));
    if (isRefusal(lost)) return lost;
    const { client } = await startNode(options, lock);
    await client.treeSettled();
    await client.close();
    const tree = join(dataFolder, treeKeptAs(stamp));
    return { from: 'ledger', data: dataFolder, lost, treeKeptAs: existsSync(tree) ? tree : null };
  } finally {
    lock.release();
  }
}

async function writeLoss(options: NodeOptions, asideAs: string): Promise<LostEvents | Refusal> {
  const { dataFolder } = options;
  const file = join(dataFolder, 'ledger.sqlite');
  if (!existsSync(file)) return refuse('ledger_damaged', `${file} is missing`);
  const ledger = openLedger(options);
  try {
    const lost = findLostEvents(dataFolder, lastSeq(ledger.read));
    if (lost === null) return refuse('invalid_argument', 'no event is missing: there is no loss to accept');
    const recorded = await ledger.submit(recordLoss, { ...lost, detail: describeLoss(lost), asideAs });
    return isRefusal(recorded) ? recorded : lost;
  } finally {
    ledger.close();
  }
}
