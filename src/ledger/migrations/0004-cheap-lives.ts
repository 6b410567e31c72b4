/**
 * What a step of a life need not write. Tasks that the tree is behind on are a list of their own, so that a mark costs no
 * second write of a task; a beat of a run moves no key; open and ended tasks are one index.
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
