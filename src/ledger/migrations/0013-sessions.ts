/**
 * Sessions: their facts, which only grow, and the tasks that belong to them. A row of `reports` is the end of one order in short,
 * so that a session, a day or an agent can be summed up without reading every fact; rounds that were reported before have a row if
 * their fact has the form of today. `is_waiting` says that the task of an open order is in ready or backlog: the dispatcher
 * finds the others without looking at thousands that wait.
 */
export const sessionsMigration = `
CREATE TABLE sessions (
  number INTEGER PRIMARY KEY,
  session_id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  pattern TEXT NOT NULL,
  at INTEGER NOT NULL,
  at_once_max INTEGER,
  cost_usd REAL NOT NULL,
  is_open INTEGER NOT NULL,
  audit TEXT
) STRICT;
CREATE INDEX sessions_open ON sessions (session_id) WHERE is_open = 1;

CREATE TABLE session_facts (
  session_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  fact TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (session_id, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE session_tasks (
  session_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  sender_task_id TEXT NOT NULL,
  task_id TEXT NOT NULL,
  PRIMARY KEY (session_id, number),
  UNIQUE (session_id, sender_task_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE reports (
  task_id TEXT NOT NULL,
  round INTEGER NOT NULL,
  session_id TEXT NOT NULL,
  agent TEXT NOT NULL,
  category TEXT,
  repository TEXT,
  signal TEXT NOT NULL,
  is_skipped INTEGER NOT NULL,
  is_unchecked INTEGER NOT NULL,
  code TEXT,
  message TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  completed_at INTEGER NOT NULL,
  cost_usd REAL NOT NULL,
  estimated_usd REAL NOT NULL,
  spend TEXT NOT NULL,
  PRIMARY KEY (task_id, round)
) STRICT, WITHOUT ROWID;
CREATE INDEX reports_by_session ON reports (session_id);
CREATE INDEX reports_by_end ON reports (completed_at);
INSERT INTO reports SELECT run_facts.task_id, run_facts.round, orders.session_id, fact ->> '$.report.agent.name', NULL, NULL,
    fact ->> '$.report.verdict', ifnull(fact ->> '$.report.isSkipped', 0), ifnull(fact ->> '$.report.isUnchecked', 0),
    fact ->> '$.report.code', ifnull(fact ->> '$.report.message', ''),
    iif(fact ->> '$.report.run' IS NULL, 0, ifnull(fact ->> '$.report.timing.retries', 0) + 1),
    ifnull(fact ->> '$.report.timing.startedAt', orders.at), ifnull(fact ->> '$.report.timing.completedAt', run_facts.at),
    ifnull(fact ->> '$.report.spend.costUsd', 0), ifnull(fact ->> '$.report.spend.estimatedUsd', 0),
    json_array(json_object('provider', fact ->> '$.report.agent.provider', 'model', fact ->> '$.report.agent.model',
      'costUsd', ifnull(fact ->> '$.report.spend.costUsd', 0), 'tokensInput', ifnull(fact ->> '$.report.spend.tokensInput', 0),
      'tokensOutput', ifnull(fact ->> '$.report.spend.tokensOutput', 0)))
  FROM run_facts JOIN orders ON orders.task_id = run_facts.task_id AND orders.round = run_facts.round
  WHERE fact ->> '$.kind' = 'reported' AND fact ->> '$.v' = 2 AND fact ->> '$.report.agent.name' IS NOT NULL
    AND fact ->> '$.report.verdict' IS NOT NULL;

ALTER TABLE orders ADD COLUMN is_waiting INTEGER NOT NULL DEFAULT 0;
UPDATE orders SET is_waiting = 1 WHERE is_open = 1
  AND task_id IN (SELECT id FROM tasks WHERE status IN ('ready', 'backlog'));
CREATE INDEX orders_under_way ON orders (task_id) WHERE is_open = 1 AND is_waiting = 0;
CREATE INDEX orders_open_of_session ON orders (session_id) WHERE is_open = 1;
`;
