import type { Fact } from '../../domain/execution/fact.ts';
import type { Reader, Tx } from '../tx.ts';
import type { StoredOrder } from './orders.ts';

type Round = Pick<StoredOrder, 'taskId' | 'round'>;

export function insertFact(tx: Tx, { taskId, round }: Round, fact: Fact): void {
  const last = tx.tuple('SELECT max(number) FROM run_facts WHERE task_id = ? AND round = ?', taskId, round)?.[0];
  tx.write(
    'INSERT INTO run_facts (task_id, round, number, fact, at) VALUES (?, ?, ?, ?, ?)',
    taskId,
    round,
    Number(last ?? 0) + 1,
    JSON.stringify(fact),
    tx.moment.now.wallMs,
  );
}

/** Oldest first. */
export function selectFacts(tx: Reader, { taskId, round }: Round): Fact[] {
  const sql = 'SELECT fact FROM run_facts WHERE task_id = ? AND round = ? ORDER BY number';
  return tx.tuples(sql, taskId, round).map(([fact]) => JSON.parse(fact as string) as Fact);
}
