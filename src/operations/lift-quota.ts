import type { Command } from '../ledger/commit-queue.ts';
import { deleteQuotaHold } from '../ledger/statements/quota-holds.ts';

/** The vendor serves an account again: its other tasks need not wait any more. */
export const liftQuota: Command<{ readonly account: string }, { readonly events: readonly [] }> = (tx, { account }) => {
  deleteQuotaHold(tx, account);
  return { events: [] };
};
