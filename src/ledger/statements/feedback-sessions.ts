import { type FeedbackSessionFact, liftFeedbackSessionFact } from '../../domain/review/feedback-session.ts';
import type { Reader, Tx } from '../tx.ts';

export interface FeedbackSessionRow {
  /** ses_… */
  readonly id: string;
  readonly agent: string;
  /** An iteration is being answered. */
  readonly isOpen: boolean;
}

export function insertFeedbackSession(tx: Tx, { id, agent }: Omit<FeedbackSessionRow, 'isOpen'>): void {
  const sql = 'INSERT INTO feedback_sessions (id, agent, is_open, at) VALUES (?, ?, 0, ?)';
  tx.write(sql, id, agent, tx.moment.now.wallMs);
}

export function updateSessionOpen(tx: Tx, id: string, isOpen: boolean): void {
  tx.write('UPDATE feedback_sessions SET is_open = ? WHERE id = ?', isOpen ? 1 : 0, id);
}

export function selectFeedbackSession(tx: Reader, id: string): FeedbackSessionRow | null {
  const row = tx.tuple('SELECT id, agent, is_open FROM feedback_sessions WHERE id = ?', id);
  return row ? { id: row[0] as string, agent: row[1] as string, isOpen: row[2] === 1 } : null;
}

/** Sessions whose provider is being asked, or was when its node died. */
export function selectOpenFeedbackSessions(tx: Reader, limit: number): string[] {
  const sql = 'SELECT id FROM feedback_sessions WHERE is_open = 1 ORDER BY id LIMIT ?';
  return tx.tuples(sql, limit).map(([id]) => id as string);
}

export function insertFeedbackSessionFact(tx: Tx, session: string, fact: FeedbackSessionFact): void {
  insertFeedbackFact(tx, session, fact);
}

/** Oldest first. */
export function selectFeedbackSessionFacts(tx: Reader, session: string): FeedbackSessionFact[] {
  return selectFeedbackFacts<FeedbackSessionFact>(tx, session, liftFeedbackSessionFact);
}

const FACT_VERSION = 3;

/** Appends a fact of a session (ses_…) or of an exchange in rounds (fbk_…). */
export function insertFeedbackFact(tx: Tx, owner: string, fact: object): void {
  const last = tx.tuple('SELECT max(number) FROM feedback_facts WHERE owner = ?', owner)?.[0];
  const sql = 'INSERT INTO feedback_facts (owner, number, fact, at) VALUES (?, ?, ?, ?)';
  const stored = JSON.stringify({ v: FACT_VERSION, ...fact });
  tx.write(sql, owner, Number(last ?? 0) + 1, stored, tx.moment.now.wallMs);
}

/** Oldest first. */
export function selectFeedbackFacts<Fact extends object>(
  tx: Reader,
  owner: string,
  lift: (stored: object, version: number) => object,
): Fact[] {
  return tx.tuples('SELECT fact FROM feedback_facts WHERE owner = ? ORDER BY number', owner).map(([stored]) => {
    const { v, ...fact } = JSON.parse(stored as string) as Fact & { readonly v: number };
    if (v > FACT_VERSION) throw new Error(`a fact of version ${v} is from a newer Baton`);
    return (v < FACT_VERSION ? lift(fact, v) : fact) as Fact;
  });
}
