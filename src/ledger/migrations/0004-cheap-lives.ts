/**
 * Fewer writes for each step of a task. Tasks that the tree is behind on are a table of their own, so that a mark does
 * not rewrite the task; a heartbeat changes no index; open and ended tasks share an index.
 */
export const cheapLivesMigration = `
CREATE TABLE unmirrored (
  task_id TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
INSERT INTO unmirrored (task_id) SELECT id FROM tasks WHERE mirrored_revision < revision;
DROP INDEX tasks_unmirrored;
ALTER TABLE tasks DROP COLUMN mirrored_revision;

DROP INDEX tasks_open;
DROP INDEX tasks_ended;
CREATE INDEX tasks_by_status ON tasks (status, priority);

DROP INDEX runs_alive;
CREATE INDEX runs_alive ON runs (boot_id) WHERE status = 'running';
`;
