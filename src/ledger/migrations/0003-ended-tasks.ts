/** `baton status` counts ended tasks: an index saves reading every task. */
export const endedTasksMigration = `
CREATE INDEX tasks_ended ON tasks (status) WHERE status IN ('done', 'cancelled');
`;
