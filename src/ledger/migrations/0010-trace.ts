/**
 * A trace is read in the order of `place`: the seq of its event, or, for a turn that arrived late, just before the next turn by
 * index. `shown` is the text that leaves the ledger in the place of a chunk, where the chunks around it decide about it;
 * confidence, observation (its hash) and failure are what the entropy detector reads. Rows from before events were announced
 * come first.
 *
 * `trace_marks` has tool calls and thoughts of runs, open and ended, so that each ends exactly once. `points` are the
 * recorded states of a workspace that a task can be rewound to.
 */
export const traceMigration = `
ALTER TABLE agent_logs ADD COLUMN kind TEXT;
ALTER TABLE agent_logs ADD COLUMN place REAL;
ALTER TABLE agent_logs ADD COLUMN shown TEXT;
ALTER TABLE agent_logs ADD COLUMN confidence REAL;
ALTER TABLE agent_logs ADD COLUMN observed TEXT;
ALTER TABLE agent_logs ADD COLUMN is_failed INTEGER NOT NULL DEFAULT 0;
UPDATE agent_logs SET place = coalesce(seq, log_id - 1000000000000),
  kind = CASE WHEN turn_index IS NOT NULL THEN 'TURN'
    WHEN json_valid(envelope_json) THEN envelope_json ->> '$.payload.type' END;
CREATE INDEX agent_logs_by_seq ON agent_logs (seq);
CREATE INDEX agent_logs_by_place ON agent_logs (task_id, place);
CREATE INDEX agent_logs_turns ON agent_logs (task_id, place) WHERE turn_index IS NOT NULL;

CREATE TABLE trace_marks (
  task_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  subject TEXT NOT NULL,
  is_open INTEGER NOT NULL,
  detail TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (task_id, run_id, subject)
) STRICT, WITHOUT ROWID;

CREATE TABLE points (
  task_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  kind TEXT NOT NULL,
  status TEXT NOT NULL,
  round INTEGER NOT NULL,
  run_id TEXT,
  turn_index INTEGER,
  label TEXT NOT NULL,
  commit_hash TEXT NOT NULL,
  git_hash TEXT NOT NULL,
  added INTEGER NOT NULL,
  changed INTEGER NOT NULL,
  removed INTEGER NOT NULL,
  rewound_to INTEGER,
  at INTEGER NOT NULL,
  PRIMARY KEY (task_id, number)
) STRICT, WITHOUT ROWID;
`;
