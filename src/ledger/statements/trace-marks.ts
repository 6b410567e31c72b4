import type { Reader, Tx } from '../tx.ts';

/** The run of a task that a mark is of; null where an operator sent the message without one. */
export interface MarkedRun {
  readonly taskId: string;
  readonly runId: string | null;
}

/** A tool call or the thought of a turn: it begins once and ends once. */
export interface TraceMark {
  readonly subject: string;
  readonly isOpen: boolean;
  /** JSON. */
  readonly detail: string;
  /** When it began. */
  readonly at: number;
}

export function callSubject(callId: string): string {
  return `call/${callId}`;
}

export function thoughtSubject(turnIndex: number): string {
  return `thought/${turnIndex}`;
}

/** The call or the turn that a subject names. */
export function subjectOf(
  subject: string,
): { readonly turnIndex: number; readonly callId: null } | { readonly turnIndex: null; readonly callId: string } {
  const name = subject.slice(subject.indexOf('/') + 1);
  return subject.startsWith('thought/') ? { turnIndex: Number(name), callId: null } : { turnIndex: null, callId: name };
}

const SELECT = 'SELECT subject, is_open, detail, at FROM trace_marks WHERE task_id = ? AND run_id = ?';

export function selectMark(tx: Reader, { taskId, runId }: MarkedRun, subject: string): TraceMark | null {
  const tuple = tx.tuple(`${SELECT} AND subject = ?`, taskId, runId ?? '', subject);
  return tuple ? toMark(tuple) : null;
}

/** The calls and thoughts that a run began and did not end. */
export function selectOpenMarks(tx: Reader, { taskId, runId }: MarkedRun): TraceMark[] {
  return tx.tuples(`${SELECT} AND is_open = 1 ORDER BY at, subject`, taskId, runId ?? '').map(toMark);
}

function toMark([subject, isOpen, detail, at]: readonly unknown[]): TraceMark {
  return { subject: subject as string, isOpen: isOpen === 1, detail: detail as string, at: at as number };
}

const UPSERT = `INSERT INTO trace_marks (task_id, run_id, subject, is_open, detail, at) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET is_open = excluded.is_open, detail = excluded.detail`;

export function setMark(tx: Tx, { taskId, runId }: MarkedRun, { subject, isOpen, detail, at }: TraceMark): void {
  tx.write(UPSERT, taskId, runId ?? '', subject, isOpen ? 1 : 0, detail, at);
}
