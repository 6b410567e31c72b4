import { type ExchangeFact, liftExchangeFact } from '../../domain/feedback-exchange.ts';
import type { TaskName } from '../../domain/task.ts';
import type { Reader, Tx } from '../tx.ts';
import { insertFeedbackFact, selectFeedbackFacts } from './feedback-sessions.ts';

/** One exchange in rounds; the rest of it is among its facts. */
export interface FeedbackRow {
  /** fbk_… */
  readonly id: string;
  /** The task whose work is reviewed; null for any other artifact. */
  readonly taskId: TaskName | null;
  /** The artifact in a few words. */
  readonly subject: string;
  readonly isOpen: boolean;
}

export function insertFeedback(tx: Tx, { id, taskId, subject }: Omit<FeedbackRow, 'isOpen'>): void {
  const sql = 'INSERT INTO feedbacks (id, task_id, subject, is_open, at) VALUES (?, ?, ?, 1, ?)';
  tx.write(sql, id, taskId, subject, tx.moment.now.wallMs);
}

export function closeFeedback(tx: Tx, id: string): void {
  tx.write('UPDATE feedbacks SET is_open = 0 WHERE id = ?', id);
}

export function selectFeedback(tx: Reader, id: string): FeedbackRow | null {
  const row = tx.tuple('SELECT id, task_id, subject, is_open FROM feedbacks WHERE id = ?', id);
  if (!row) return null;
  return { id, taskId: row[1] as TaskName | null, subject: row[2] as string, isOpen: row[3] === 1 };
}

/** Exchanges that are under way, or were when their node died. */
export function selectOpenFeedbacks(tx: Reader, limit: number): string[] {
  const sql = 'SELECT id FROM feedbacks WHERE is_open = 1 ORDER BY id LIMIT ?';
  return tx.tuples(sql, limit).map(([id]) => id as string);
}

/** The newest exchange about the work of a task; null if there was none. */
export function selectLastFeedbackOf(tx: Reader, taskId: TaskName): string | null {
  const sql = 'SELECT id FROM feedbacks WHERE task_id = ? ORDER BY id DESC LIMIT 1';
  return (tx.tuple(sql, taskId)?.[0] as string | undefined) ?? null;
}

export function insertExchangeFact(tx: Tx, id: string, fact: ExchangeFact): void {
  insertFeedbackFact(tx, id, fact);
}

/** Oldest first. */
export function selectExchangeFacts(tx: Reader, id: string): ExchangeFact[] {
  return selectFeedbackFacts<ExchangeFact>(tx, id, liftExchangeFact);
}
