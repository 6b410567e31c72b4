import type { Reader, Tx } from '../tx.ts';

export interface KeptAnswer {
  readonly key: string;
  readonly request: string;
  readonly answer: string;
  readonly at: number;
}

export function selectAnswer(tx: Reader, key: string): KeptAnswer | null {
  const row = tx.one('SELECT key, request, answer, at FROM answers WHERE key = ?', key);
  return (row ?? null) as KeptAnswer | null;
}

export function insertAnswer(tx: Tx, { key, request, answer, at }: KeptAnswer): void {
  tx.write('INSERT INTO answers (key, request, answer, at) VALUES (?, ?, ?, ?)', key, request, answer, at);
}

export function deleteAnswersBefore(tx: Tx, at: number): void {
  tx.write('DELETE FROM answers WHERE at < ?', at);
}
