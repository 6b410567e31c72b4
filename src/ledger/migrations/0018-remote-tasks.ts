/**
 * Tasks between nodes. `sent_tasks` has the rounds of tasks that another node runs, `received_tasks` the tasks of others that this
 * node runs, each with the event that brought it. `capability_uses` has one row for each capability that a sent task needed, and
 * `capability_reviews` the reviews of Runtime §8. `route_failures` are routes that were not found.
 */
export const remoteTasksMigration = `
CREATE TABLE sent_tasks (
  task_id TEXT NOT NULL,
  round INTEGER NOT NULL,
  uid TEXT NOT NULL,
  corr_id TEXT NOT NULL,
  event_id TEXT,
  sends INTEGER NOT NULL,
  node TEXT,
  agent TEXT,
  eta_at INTEGER,
  revised_eta_at INTEGER,
  deadline_at INTEGER,
  status TEXT,
  progress REAL,
  note TEXT,
  their_task TEXT,
  sent_at INTEGER,
  told_at INTEGER,
  is_open INTEGER NOT NULL,
  PRIMARY KEY (task_id, round)
) STRICT, WITHOUT ROWID;
CREATE INDEX sent_tasks_open ON sent_tasks (task_id) WHERE is_open = 1;
CREATE INDEX sent_tasks_uid ON sent_tasks (uid);
CREATE INDEX sent_tasks_node ON sent_tasks (node, sent_at) WHERE node IS NOT NULL;

CREATE TABLE received_tasks (
  event_id TEXT PRIMARY KEY,
  source TEXT NOT NULL,
  corr_id TEXT NOT NULL,
  uid TEXT NOT NULL,
  requester TEXT NOT NULL,
  agent TEXT NOT NULL,
  recipient TEXT NOT NULL,
  fence INTEGER,
  task_id TEXT,
  capabilities TEXT NOT NULL,
  accept_id TEXT,
  eta_at INTEGER NOT NULL,
  deadline_at INTEGER,
  state TEXT NOT NULL,
  told_status TEXT,
  told_progress REAL,
  told_seq INTEGER NOT NULL,
  told_at INTEGER NOT NULL,
  received_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX received_tasks_open ON received_tasks (received_at) WHERE state <> 'ended';
CREATE INDEX received_tasks_by_correlation ON received_tasks (source, corr_id);
CREATE INDEX received_tasks_task ON received_tasks (task_id) WHERE task_id IS NOT NULL;

CREATE TABLE capability_uses (
  capability_id TEXT NOT NULL,
  task_id TEXT NOT NULL,
  round INTEGER NOT NULL,
  agent TEXT NOT NULL,
  node TEXT NOT NULL,
  verdict TEXT NOT NULL,
  is_eta_kept INTEGER,
  cost_usd REAL NOT NULL,
  ended_at INTEGER NOT NULL,
  PRIMARY KEY (capability_id, ended_at, task_id, round)
) STRICT, WITHOUT ROWID;

CREATE TABLE capability_reviews (
  review_id TEXT PRIMARY KEY,
  capability_id TEXT NOT NULL,
  record TEXT NOT NULL,
  failure_class TEXT NOT NULL,
  agent TEXT NOT NULL,
  opened_by TEXT NOT NULL,
  owner TEXT NOT NULL,
  detail TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  closed_at INTEGER,
  closed_by TEXT,
  note TEXT,
  published TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX capability_reviews_open ON capability_reviews (capability_id) WHERE closed_at IS NULL;
CREATE INDEX capability_reviews_of ON capability_reviews (capability_id, created_at);

CREATE TABLE route_failures (
  capability_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  corr_id TEXT NOT NULL,
  PRIMARY KEY (capability_id, at, corr_id)
) STRICT, WITHOUT ROWID;
`;
