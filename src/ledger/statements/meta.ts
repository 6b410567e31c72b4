import type { Reader, Tx } from '../tx.ts';

export function selectMeta(tx: Reader, key: string): string | null {
  return (tx.tuple('SELECT value FROM meta WHERE key = ?', key)?.[0] ?? null) as string | null;
}

export function upsertMeta(tx: Tx, key: string, value: string): void {
  tx.write('INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value', key, value);
}

export function deleteMeta(tx: Tx, key: string): void {
  tx.write('DELETE FROM meta WHERE key = ?', key);
}
