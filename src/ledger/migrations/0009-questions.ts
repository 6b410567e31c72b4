/** Questions to a person. The index holds only those that are open. */
export const questionsMigration = `
CREATE TABLE questions (
  id TEXT PRIMARY KEY,
  task_id TEXT NOT NULL,
  run_id TEXT,
  kind TEXT NOT NULL,
  asked TEXT NOT NULL,
  asked_at INTEGER NOT NULL,
  deadline_at INTEGER,
  answer TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX questions_open ON questions (task_id) WHERE answer IS NULL;
`;
