/** How many tasks have ended is asked with every status: counted in an index, not by reading every task. */
export const endedTasksMigration = `
CREATE INDEX tasks_ended ON tasks (status) WHERE status IN ('done', 'cancelled');
`;
