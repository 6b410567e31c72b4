import type { DatabaseSync } from 'node:sqlite';

/** The answers of the node to play-lives.ts before it continued. */
export type Acknowledged =
  | { answer: 'created'; task: string; title: string; revision: number }
  | { answer: 'claimed'; task: string; run: string; fence: number; agent: string }
  | { answer: 'logged'; task: string; seq: number; type: string }
  | { answer: 'ended'; task: string; run: string; status: string }
  | { answer: 'refused'; task: string; code: string };

/** How play-lives.ts ends when the ledger says that the process must. */
export const FAULT_STATUS = 70;

/** The text that play-lives.ts writes into a file of the tree. */
export const TYPED = 'typed by a person';

/** The whole lines; a kill may cut the last. */
export function readAcknowledged(text: string): Acknowledged[] {
  const lines = text.split('\n').slice(0, -1);
  return lines.filter((line) => line !== 'ready').map((line) => JSON.parse(line) as Acknowledged);
}

/** Each answer that left and is not in the ledger. */
export function lostAnswers(db: DatabaseSync, answers: readonly Acknowledged[]): string[] {
  return answers.filter((answer) => !isKept(db, answer)).map((answer) => `lost: ${JSON.stringify(answer)}`);
}

function isKept(db: DatabaseSync, answer: Acknowledged): boolean {
  const has = (sql: string, ...values: (string | number)[]) => db.prepare(sql).get(...values) !== undefined;
  switch (answer.answer) {
    case 'created':
      return has(
        'SELECT 1 FROM tasks WHERE id = ? AND title = ? AND revision >= ?',
        answer.task,
        answer.title,
        answer.revision,
      );
    case 'claimed':
      return has(
        'SELECT 1 FROM runs WHERE id = ? AND task_id = ? AND fence = ? AND agent = ?',
        answer.run,
        answer.task,
        answer.fence,
        answer.agent,
      );
    case 'logged':
      return has(
        'SELECT 1 FROM events WHERE seq = ? AND type = ? AND task_id = ?',
        answer.seq,
        answer.type,
        answer.task,
      );
    case 'ended':
      return (
        has("SELECT 1 FROM runs WHERE id = ? AND status <> 'running'", answer.run) &&
        has(
          "SELECT 1 FROM events WHERE task_id = ? AND type = 'task.transitioned' AND payload ->> 'to' = ?",
          answer.task,
          answer.status,
        )
      );
    case 'refused':
      return true;
  }
}
