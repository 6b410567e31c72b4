import { type ExchangeFact, liftExchangeFact } from '../../domain/review/exchange-fact.ts';
import type { TaskName } from '../../domain/task/task.ts';
import type { Reader, Tx } from '../tx.ts';
import { insertFeedbackFact, selectFeedbackFacts } from './feedback-sessions.ts';

/** One exchange in rounds; the rest of it is among its facts. */
export interface FeedbackRow {
  /** fbk_… */
  readonly id: string;
  /** The task whose work is reviewed, or that deals with the findings; null for any other artifact. */
  readonly taskId: TaskName | null;
  /** The artifact in a few words. */
  readonly subject: string;
  readonly isOpen: boolean;
}

export function insertFeedback(tx: Tx, { id, taskId, subject }: Omit<FeedbackRow, 'isOpen'>): void {
  const sql = 'INSERT INTO feedbacks (id, task_id, subject, is_open, at) VALUES (?, ?, ?, 1, ?)';
  tx.write(sql, id, taskId, subject, tx.moment.now.wallMs);
}

/** The changes of an exchange about another artifact are the work of this task. */
export function updateFeedbackTask(tx: Tx, id: string, taskId: TaskName): void {
  tx.write('UPDATE feedbacks SET task_id = ? WHERE id = ? AND task_id IS NULL', taskId, id);
}

/** Whether a node has something to do for it. */
export function updateFeedbackOpen(tx: Tx, id: string, isOpen: boolean): void {
  tx.write('UPDATE feedbacks SET is_open = ? WHERE id = ?', isOpen ? 1 : 0, id);
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

/** The exchanges about the work of a task, newest first. */
export function selectFeedbacksOf(tx: Reader, taskId: TaskName, limit: number): string[] {
  const sql = 'SELECT id FROM feedbacks WHERE task_id = ? ORDER BY id DESC LIMIT ?';
  return tx.tuples(sql, taskId, limit).map(([id]) => id as string);
}

export function insertExchangeFact(tx: Tx, id: string, fact: ExchangeFact): void {
  insertFeedbackFact(tx, id, fact);
}

/** Oldest first. */
export function selectExchangeFacts(tx: Reader, id: string): ExchangeFact[] {
  return selectFeedbackFacts<ExchangeFact>(tx, id, liftExchangeFact);
}
