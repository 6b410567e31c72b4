import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import { replaceLedger, TREE_IS_OLD, treeKeptAs } from '../../ledger/restore.ts';
import { ledgerAt, type NodeOptions, startNode } from '../../node.ts';
import { type LedgerRebuilt, rebuildLedger } from '../../open-tree/rebuild-ledger.ts';
import { REBUILT_AT } from '../../operations/order/refuse-unordered.ts';
import { systemClock } from '../../platform/clock.ts';
import { systemTimer } from '../../platform/timer.ts';
import { holdFolder } from './folder-holder.ts';
import { bringBack } from './kept-files.ts';

export interface RebuiltFromTree extends LedgerRebuilt {
  readonly from: 'tree';
  /** The data folder. */
  readonly data: string;
  /** The new paths of the earlier ledger and of the files that were read. */
  readonly keptAs: string | null;
  readonly treeKeptAs: string | null;
}

/**
 * Makes a new ledger from the files of the tree, for a folder whose ledger is lost or damaged. The tree is only read;
 * the new ledger replaces the old one when it is complete; then the old files are moved aside and written again.
 */
export async function rebuildFromTree(options: NodeOptions): Promise<RebuiltFromTree | Refusal> {
  const { dataFolder, clock = systemClock(), timer = systemTimer() } = options;
  const lock = options.lock ?? (await holdFolder(dataFolder, timer));
  try {
    const stamp = new Date(clock.now().wallMs).toISOString().replaceAll(/[-:]/g, '');
    const file = join(dataFolder, 'ledger.sqlite');
    const draft = `${file}.rebuilding`;
    const rebuiltAt = new Date(clock.now().wallMs).toISOString();
    const marks = { [TREE_IS_OLD]: treeKeptAs(stamp), [REBUILT_AT]: rebuiltAt };
    const rebuilt = await makeLedger(options, draft, marks);
    if (isRefusal(rebuilt)) return rebuilt;
    const keptAs = replaceLedger({ ledger: file, draft, stamp });
    const { client } = await startNode(options, lock);
    await client.treeSettled();
    const tree = join(dataFolder, treeKeptAs(stamp));
    // Receipts and logs were set aside with the tree.
    if (existsSync(tree)) bringBack(tree, dataFolder);
    await client.close();
    return { from: 'tree', data: dataFolder, ...rebuilt, keptAs, treeKeptAs: existsSync(tree) ? tree : null };
  } finally {
    lock.release();
  }
}

async function makeLedger(
  options: NodeOptions,
  draft: string,
  marks: Readonly<Record<string, string>>,
): Promise<LedgerRebuilt | Refusal> {
  const { dataFolder } = options;
  const clear = () => {
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${draft}${suffix}`, { force: true });
  };
  clear();
  const ledger = ledgerAt(draft, options);
  const rebuilt = await rebuildLedger({ ledger, root: dataFolder, marks });
  ledger.close();
  if (isRefusal(rebuilt) || rebuilt.tasks > 0) return rebuilt;
  clear();
  // An empty ledger must not replace a lost one.
  return refuse('unreadable_file', `${dataFolder} has no file of a task; nothing was changed`);
}
