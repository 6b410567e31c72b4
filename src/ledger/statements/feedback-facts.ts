import type { Reader, Tx } from '../tx.ts';

const FACT_VERSION = 1;

/** Appends a fact of a session (ses_…) or of an exchange in rounds (fbk_…). */
export function insertFeedbackFact(tx: Tx, owner: string, fact: object): void {
  const last = tx.tuple('SELECT max(number) FROM feedback_facts WHERE owner = ?', owner)?.[0];
  const sql = 'INSERT INTO feedback_facts (owner, number, fact, at) VALUES (?, ?, ?, ?)';
  const stored = JSON.stringify({ v: FACT_VERSION, ...fact });
  tx.write(sql, owner, Number(last ?? 0) + 1, stored, tx.moment.now.wallMs);
}

/** Oldest first. */
export function selectFeedbackFacts<Fact extends object>(tx: Reader, owner: string): Fact[] {
  return tx.tuples('SELECT fact FROM feedback_facts WHERE owner = ? ORDER BY number', owner).map(([stored]) => {
    const { v, ...fact } = JSON.parse(stored as string) as Fact & { readonly v: number };
    if (v > FACT_VERSION) throw new Error(`a fact of version ${v} is from a newer Baton`);
    return fact as unknown as Fact;
  });
}
