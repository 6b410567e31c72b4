/**
 * Other nodes as they were seen last, for the time when the store of the federation does not tell: their record in the control plane and
 * their life then. `sender_task` is the name that a task of another node has there. A question with `elsewhere` was asked on the node
 * that runs its task.
 */
export const knownNodesMigration = `
CREATE TABLE known_nodes (
  node TEXT PRIMARY KEY,
  record TEXT NOT NULL,
  life TEXT NOT NULL,
  seen_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
ALTER TABLE received_tasks ADD COLUMN sender_task TEXT;
ALTER TABLE questions ADD COLUMN elsewhere TEXT;
CREATE INDEX questions_elsewhere ON questions (task_id) WHERE elsewhere IS NOT NULL;
`;
