/** The first schema. Instants are milliseconds since 1970; JSON columns are never searched. */
export const firstMigration = `
CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE tasks (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  uid TEXT NOT NULL UNIQUE,
  title TEXT NOT NULL,
  status TEXT NOT NULL,
  priority INTEGER NOT NULL,
  agent TEXT,
  role TEXT,
  team TEXT,
  tags TEXT NOT NULL,
  resource TEXT,
  parent_id TEXT,
  depends_on TEXT NOT NULL,
  open_dependencies INTEGER NOT NULL,
  body TEXT NOT NULL,
  metadata TEXT NOT NULL,
  sla TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  last_transition_at INTEGER NOT NULL,
  created_by TEXT NOT NULL,
  run_id TEXT,
  fence INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  mirrored_revision INTEGER NOT NULL,
  reclaims INTEGER NOT NULL,
  due_at INTEGER,
  head_hash TEXT
) STRICT;
CREATE INDEX tasks_open ON tasks (status, priority, number) WHERE status NOT IN ('done', 'cancelled');
CREATE INDEX tasks_promotable ON tasks (priority, number)
  WHERE status = 'backlog' AND agent IS NOT NULL AND open_dependencies = 0;
CREATE INDEX tasks_unmirrored ON tasks (number) WHERE mirrored_revision < revision;
CREATE INDEX tasks_by_parent ON tasks (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX tasks_by_resource ON tasks (resource) WHERE resource IS NOT NULL AND status = 'in-progress';

CREATE TABLE dependencies (
  needs TEXT NOT NULL,
  task_id TEXT NOT NULL,
  PRIMARY KEY (needs, task_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE task_names (
  day TEXT PRIMARY KEY,
  last INTEGER NOT NULL,
  spill_day TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE runs (
  id TEXT PRIMARY KEY,
  task_id TEXT NOT NULL,
  fence INTEGER NOT NULL,
  agent TEXT NOT NULL,
  status TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  end_reason TEXT,
  boot_id TEXT NOT NULL,
  lease_expires_mono INTEGER NOT NULL,
  lease_expires_at INTEGER NOT NULL,
  beat_expires_mono INTEGER NOT NULL,
  beat_expires_at INTEGER NOT NULL,
  last_beat_at INTEGER NOT NULL,
  beats INTEGER NOT NULL,
  pid INTEGER,
  pid_start INTEGER,
  result TEXT,
  UNIQUE (task_id, fence)
) STRICT, WITHOUT ROWID;
CREATE INDEX runs_alive ON runs (boot_id, beat_expires_mono) WHERE status = 'running';

CREATE TABLE events (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  type TEXT NOT NULL,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  task_id TEXT,
  payload TEXT NOT NULL
) STRICT;
CREATE INDEX events_by_task ON events (task_id, seq) WHERE task_id IS NOT NULL;

CREATE TABLE agent_logs (
  log_id INTEGER PRIMARY KEY,
  task_id TEXT NOT NULL,
  run_id TEXT,
  turn_index INTEGER,
  envelope_json TEXT NOT NULL,
  event_id TEXT,
  at INTEGER NOT NULL,
  UNIQUE (task_id, run_id, turn_index)
) STRICT;

CREATE TABLE outbox (
  seq INTEGER PRIMARY KEY,
  event_id TEXT NOT NULL UNIQUE,
  envelope TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;

CREATE TABLE handoffs (
  task_id TEXT PRIMARY KEY,
  parent_id TEXT NOT NULL,
  from_agent TEXT NOT NULL,
  to_agent TEXT NOT NULL,
  request TEXT NOT NULL,
  state TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX handoffs_by_parent ON handoffs (parent_id);

CREATE TABLE answers (
  key TEXT PRIMARY KEY,
  request TEXT NOT NULL,
  answer TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX answers_by_age ON answers (at);

CREATE TABLE mirror_files (
  path TEXT PRIMARY KEY,
  task_id TEXT NOT NULL,
  sha256 TEXT,
  next_sha256 TEXT,
  revision INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX mirror_files_by_task ON mirror_files (task_id);

CREATE TABLE incidents (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  task_id TEXT,
  detail TEXT NOT NULL,
  opened_at INTEGER NOT NULL,
  closed_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX incidents_open ON incidents (kind, task_id) WHERE closed_at IS NULL;
`;
