/**
 * Feedback: sessions of a requester with one provider, and exchanges with reviewers in rounds. The state of both is read
 * from `feedback_facts`, row by row, which only grows; the indexes hold only those that are under way.
 */
export const feedbackMigration = `
CREATE TABLE feedback_sessions (
  id TEXT PRIMARY KEY,
  agent TEXT NOT NULL,
  is_open INTEGER NOT NULL,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX feedback_sessions_open ON feedback_sessions (id) WHERE is_open = 1;

CREATE TABLE feedbacks (
  id TEXT PRIMARY KEY,
  task_id TEXT,
  subject TEXT NOT NULL,
  is_open INTEGER NOT NULL,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX feedbacks_open ON feedbacks (id) WHERE is_open = 1;
CREATE INDEX feedbacks_by_task ON feedbacks (task_id, id) WHERE task_id IS NOT NULL;

CREATE TABLE feedback_facts (
  owner TEXT NOT NULL,
  number INTEGER NOT NULL,
  fact TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (owner, number)
) STRICT;
`;
