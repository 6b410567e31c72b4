/**
 * A decided order is the first fact of its round; the row of the round holds the text that it was read from. `settings`
 * is what a row of schema 5 was decided from each time it was read: it is null once its order is among the facts.
 */
export const decidedOrdersMigration = `
ALTER TABLE orders RENAME TO orders_5;
CREATE TABLE orders (
  task_id TEXT NOT NULL,
  round INTEGER NOT NULL,
  session_id TEXT NOT NULL,
  sender_task_id TEXT NOT NULL,
  protocol TEXT,
  text TEXT,
  settings TEXT,
  at INTEGER NOT NULL,
  is_open INTEGER NOT NULL,
  PRIMARY KEY (task_id, round)
) STRICT, WITHOUT ROWID;
INSERT INTO orders (task_id, round, session_id, sender_task_id, protocol, text, settings, at, is_open)
  SELECT task_id, round, session_id, sender_task_id, 'aop', message, settings, at, is_open FROM orders_5;
DROP TABLE orders_5;
CREATE INDEX orders_by_sender ON orders (session_id, sender_task_id);
CREATE INDEX orders_open ON orders (task_id) WHERE is_open = 1;
CREATE INDEX orders_undecided ON orders (task_id) WHERE settings IS NOT NULL;
`;
