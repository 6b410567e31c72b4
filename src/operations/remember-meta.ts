import type { Command } from '../ledger/commit-queue.ts';
import { selectMeta, upsertMeta } from '../ledger/statements/meta.ts';

/** Sets a mark, and tells what stood in its place. */
export const rememberMeta: Command<
  { readonly key: string; readonly value: string },
  { readonly before: string | null }
> = (tx, { key, value }) => {
  const before = selectMeta(tx, key);
  upsertMeta(tx, key, value);
  return { before };
};
