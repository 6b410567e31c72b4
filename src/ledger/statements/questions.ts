import type { Question, QuestionAnswer, QuestionKind } from '../../domain/task/question.ts';
import type { TaskName } from '../../domain/task/task.ts';
import type { Reader, Tuple, Tx } from '../tx.ts';

/** The words of a question, stored as JSON. */
type QuestionWords = Pick<Question, 'what' | 'where' | 'why' | 'options' | 'defaultOption'>;

const COLUMNS = 'id, task_id, run_id, kind, asked, asked_at, deadline_at, answer';

function toQuestion([id, taskId, runId, kind, asked, askedAt, deadlineAt, answer]: Tuple): Question {
  return {
    id: id as string,
    taskId: taskId as TaskName,
    runId: runId as string | null,
    kind: kind as QuestionKind,
    ...(JSON.parse(asked as string) as QuestionWords),
    askedAt: askedAt as number,
    deadlineAt: deadlineAt as number | null,
    answer: answer === null ? null : (JSON.parse(answer as string) as QuestionAnswer),
  };
}

export function insertQuestion(tx: Tx, question: Question): void {
  const { id, taskId, runId, kind, askedAt, deadlineAt, what, where, why, options, defaultOption } = question;
  const asked: QuestionWords = { what, where, why, options, defaultOption };
  const sql = `INSERT INTO questions (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, NULL)`;
  tx.write(sql, id, taskId, runId, kind, JSON.stringify(asked), askedAt, deadlineAt);
}

export function updateAnswer(tx: Tx, id: string, answer: QuestionAnswer): void {
  tx.write('UPDATE questions SET answer = ? WHERE id = ?', JSON.stringify(answer), id);
}

export function selectQuestion(tx: Reader, id: string): Question | null {
  const row = tx.tuple(`SELECT ${COLUMNS} FROM questions WHERE id = ?`, id);
  return row ? toQuestion(row) : null;
}

/** Questions of a task without an answer, oldest first. */
export function selectOpenQuestionsOf(tx: Reader, taskId: string): Question[] {
  const sql = `SELECT ${COLUMNS} FROM questions WHERE task_id = ? AND answer IS NULL ORDER BY id`;
  return tx.tuples(sql, taskId).map(toQuestion);
}

/** The newest question of a task, open or not. */
export function selectLastQuestionOf(tx: Reader, taskId: string): Question | null {
  const row = tx.tuple(`SELECT ${COLUMNS} FROM questions WHERE task_id = ? ORDER BY id DESC LIMIT 1`, taskId);
  return row ? toQuestion(row) : null;
}

export function countOpenQuestions(tx: Reader): number {
  return Number(tx.tuple('SELECT count(*) FROM questions INDEXED BY questions_open WHERE answer IS NULL')?.[0] ?? 0);
}

/** Questions without an answer, oldest first. */
export function selectOpenQuestions(tx: Reader, limit: number): Question[] {
  const sql = `SELECT ${COLUMNS} FROM questions INDEXED BY questions_open WHERE answer IS NULL ORDER BY id LIMIT ?`;
  return tx.tuples(sql, limit).map(toQuestion);
}
