import type { Command } from '../ledger/commit-queue.ts';
import { selectMeta, upsertMeta } from '../ledger/statements/meta.ts';
import type { Reader } from '../ledger/tx.ts';

/** The data folder that this ledger was copied, moved or restored from. */
export interface EarlierFolder {
  readonly folder: string;
  /** Orders from before this instant were accepted there; milliseconds since 1970. */
  readonly at: number;
  /** It was no longer there. */
  readonly isGone: boolean;
}

const FOLDER = 'data_folder';
const EARLIER = 'earlier_data_folder';

/** Notes the real path of the data folder, and the earlier one if the ledger has come to another place. */
export const noteDataFolder: Command<{ readonly folder: string; readonly isGone: boolean }, object> = (
  tx,
  { folder, isGone },
) => {
  const known = selectMeta(tx, FOLDER);
  if (known === folder) return {};
  upsertMeta(tx, FOLDER, folder);
  const earlier: EarlierFolder = { folder: known ?? folder, at: tx.moment.now.wallMs, isGone };
  if (known !== null) upsertMeta(tx, EARLIER, JSON.stringify(earlier));
  return {};
};

export function knownDataFolder(read: Reader): string | null {
  return selectMeta(read, FOLDER);
}

export function earlierDataFolder(read: Reader): EarlierFolder | null {
  return JSON.parse(selectMeta(read, EARLIER) ?? 'null');
}
