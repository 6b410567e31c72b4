import type { Command } from '../ledger/commit-queue.ts';
import { selectMeta, upsertMeta } from '../ledger/statements/meta.ts';
import type { Reader } from '../ledger/tx.ts';

const KEY = 'awake_ms';

/** The time that nodes of this folder were awake, as far as it is stored: sessions are timed by it. */
export function awakeMsOf(tx: Reader): number {
  return Number(selectMeta(tx, KEY) ?? 0);
}

/** Adds the time that this node was awake since the last call. */
export const addAwakeTime: Command<{ readonly ms: number }, { readonly awakeMs: number }> = (tx, { ms }) => {
  const awakeMs = awakeMsOf(tx) + Math.max(0, Math.round(ms));
  if (ms > 0) upsertMeta(tx, KEY, String(awakeMs));
  return { awakeMs };
};
