import { existsSync } from 'node:fs';
import { LedgerFault } from '../../ledger/fault.ts';
import { TREE_IS_OLD } from '../../ledger/restore.ts';
import { lastSeq } from '../../ledger/statements/events.ts';
import { selectMeta } from '../../ledger/statements/meta.ts';
import type { Reader } from '../../ledger/tx.ts';
import { hasEventFiles } from '../../platform/files/data-folder.ts';
import { describeLoss, findLostEvents } from '../../tree/find-lost-events.ts';

/** An empty ledger must not replace a lost one whose tree still exists. */
export function refuseLostLedger(dataFolder: string, ledgerFile: string): void {
  if (existsSync(ledgerFile) || !hasEventFiles(dataFolder)) return;
  throw new LedgerFault('open', `${ledgerFile} is missing, but its tree exists; nothing was changed`, {
    retryable: false,
    code: 'ledger_damaged',
  });
}

/** A WAL that was cut or removed takes acknowledged events with it, and their numbers would be given again. */
export function refuseLostEvents(read: Reader, dataFolder: string): void {
  if (selectMeta(read, TREE_IS_OLD) !== null) return;
  const lost = findLostEvents(dataFolder, lastSeq(read));
  if (lost === null) return;
  throw new LedgerFault('open', `${describeLoss(lost)}; nothing was changed`, {
    retryable: false,
    code: 'events_lost',
  });
}
