/** The state of a task's work since its report. The indexes hold only tasks whose work waits or was taken back. */
export const workOfTasksMigration = `
ALTER TABLE tasks ADD COLUMN work TEXT;
CREATE INDEX tasks_to_apply ON tasks (number) WHERE work = 'waiting';
CREATE INDEX tasks_taken_back ON tasks (status) WHERE work IN ('undone', 'discarded');
`;
