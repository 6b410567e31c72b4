import type { QuotaHold } from '../../domain/agent/quota.ts';
import type { Reader, Tx } from '../tx.ts';
import { deleteMeta, selectMeta, upsertMeta } from './meta.ts';

// One row of `meta` for each account whose quota is used up: there are as many as a user has vendors.

const PREFIX = 'quota:';

export function upsertQuotaHold(tx: Tx, hold: QuotaHold): void {
  upsertMeta(tx, `${PREFIX}${hold.account}`, JSON.stringify(hold));
}

export function deleteQuotaHold(tx: Tx, account: string): void {
  deleteMeta(tx, `${PREFIX}${account}`);
}

export function selectQuotaHold(tx: Reader, account: string): QuotaHold | null {
  const found = selectMeta(tx, `${PREFIX}${account}`);
  return found === null ? null : (JSON.parse(found) as QuotaHold);
}

export function selectQuotaHolds(tx: Reader): readonly QuotaHold[] {
  const rows = tx.tuples("SELECT value FROM meta WHERE key >= 'quota:' AND key < 'quota;'");
  return rows.map(([value]) => JSON.parse(value as string) as QuotaHold);
}
