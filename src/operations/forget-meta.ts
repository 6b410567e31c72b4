import type { Command } from '../ledger/commit-queue.ts';
import { deleteMeta } from '../ledger/statements/meta.ts';

/** Takes a mark away once what it asked for is done. */
export const forgetMeta: Command<{ readonly key: string }, object> = (tx, { key }) => {
  deleteMeta(tx, key);
  return {};
};
