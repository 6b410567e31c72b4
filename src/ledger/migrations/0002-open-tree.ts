/**
 * Edits of the tree. `mirror_bases` stores the file of an open task at earlier revisions, so that an edit of an older
 * text can be merged; an incident may concern one file.
 */
export const openTreeMigration = `
CREATE TABLE mirror_bases (
  task_id TEXT NOT NULL,
  revision INTEGER NOT NULL,
  content TEXT NOT NULL,
  PRIMARY KEY (task_id, revision)
) STRICT, WITHOUT ROWID;

ALTER TABLE incidents ADD COLUMN path TEXT;
CREATE INDEX incidents_by_path ON incidents (path) WHERE path IS NOT NULL AND closed_at IS NULL;
`;
