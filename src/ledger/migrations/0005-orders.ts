/**
 * Orders and their facts. A round begins with the order and ends with its report; a task that is
 * retried by hand has another. `run_facts` only grows: the state of a round is read from it, row by row.
 */
export const ordersMigration = `
CREATE TABLE orders (
  task_id TEXT NOT NULL,
  round INTEGER NOT NULL,
  session_id TEXT NOT NULL,
  sender_task_id TEXT NOT NULL,
  message TEXT NOT NULL,
  settings TEXT NOT NULL,
  at INTEGER NOT NULL,
  is_open INTEGER NOT NULL,
  PRIMARY KEY (task_id, round)
) STRICT, WITHOUT ROWID;
CREATE INDEX orders_by_sender ON orders (session_id, sender_task_id);
CREATE INDEX orders_open ON orders (task_id) WHERE is_open = 1;

CREATE TABLE run_facts (
  task_id TEXT NOT NULL,
  round INTEGER NOT NULL,
  number INTEGER NOT NULL,
  fact TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (task_id, round, number)
) STRICT, WITHOUT ROWID;
`;
