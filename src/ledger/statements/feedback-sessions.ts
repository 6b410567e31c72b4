import type { SessionFact } from '../../domain/feedback-session.ts';
import type { Reader, Tx } from '../tx.ts';
import { insertFeedbackFact, selectFeedbackFacts } from './feedback-facts.ts';

export interface SessionRow {
  /** ses_… */
  readonly id: string;
  readonly agent: string;
  /** An iteration is being answered. */
  readonly isOpen: boolean;
}

export function insertFeedbackSession(tx: Tx, { id, agent }: Omit<SessionRow, 'isOpen'>): void {
  const sql = 'INSERT INTO feedback_sessions (id, agent, is_open, at) VALUES (?, ?, 0, ?)';
  tx.write(sql, id, agent, tx.moment.now.wallMs);
}

export function updateSessionOpen(tx: Tx, id: string, isOpen: boolean): void {
  tx.write('UPDATE feedback_sessions SET is_open = ? WHERE id = ?', isOpen ? 1 : 0, id);
}

export function selectFeedbackSession(tx: Reader, id: string): SessionRow | null {
  const row = tx.tuple('SELECT id, agent, is_open FROM feedback_sessions WHERE id = ?', id);
  return row ? { id: row[0] as string, agent: row[1] as string, isOpen: row[2] === 1 } : null;
}

/** Sessions whose provider is being asked, or was when its node died. */
export function selectOpenSessions(tx: Reader, limit: number): string[] {
  const sql = 'SELECT id FROM feedback_sessions WHERE is_open = 1 ORDER BY id LIMIT ?';
  return tx.tuples(sql, limit).map(([id]) => id as string);
}

export function insertSessionFact(tx: Tx, session: string, fact: SessionFact): void {
  insertFeedbackFact(tx, session, fact);
}

/** Oldest first. */
export function selectSessionFacts(tx: Reader, session: string): SessionFact[] {
  return selectFeedbackFacts<SessionFact>(tx, session);
}
