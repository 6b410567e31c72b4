import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncPath } from '../platform/durable-files.ts';
import { LedgerFault } from './fault.ts';

/** What was found wrong with a ledger, where the ledger itself can no longer keep it. */
export interface Damage {
  readonly finding: string;
  /** RFC 3339 */
  readonly foundAt: string;
}

/** Beside the ledger. It means this very file: one that took its place is not damaged. */
const markOf = (ledgerFile: string) => `${ledgerFile}.damaged`;

export function markDamage(ledgerFile: string, damage: Damage): void {
  const mark = markOf(ledgerFile);
  const draft = `${mark}.tmp`;
  writeFileSync(draft, `${JSON.stringify({ ...damage, inode: inodeOf(ledgerFile) })}\n`, { mode: 0o600 });
  syncPath(draft);
  renameSync(draft, mark);
  syncPath(dirname(mark));
}

export function readDamage(ledgerFile: string): Damage | null {
  try {
    const mark = JSON.parse(readFileSync(markOf(ledgerFile), 'utf8')) as Damage & { readonly inode: string };
    const { inode, finding, foundAt } = mark;
    return inode === inodeOf(ledgerFile) ? { finding, foundAt } : null;
  } catch {
    // There is none, or none that Baton wrote.
    return null;
  }
}

/** A node may have found what no opening has the time to find: nobody writes to that ledger again. */
export function refuseMarkedLedger(ledgerFile: string): void {
  const damage = readDamage(ledgerFile);
  if (!damage) return;
  const message = `${ledgerFile} was found damaged at ${damage.foundAt} (${damage.finding}); nothing was changed`;
  throw new LedgerFault('open', message, { retryable: false, code: 'ledger_damaged' });
}

function inodeOf(file: string): string | null {
  return statSync(file, { bigint: true, throwIfNoEntry: false })?.ino.toString() ?? null;
}
