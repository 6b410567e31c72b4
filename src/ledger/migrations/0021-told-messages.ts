/**
 * The session of an agent that a message was given to: when, in which run, and how (with a prompt, into a running turn, or read by the run
 * itself). Messages from before are not told any more.
 */
export const toldMessagesMigration = `
ALTER TABLE deliveries ADD COLUMN told_at INTEGER;
ALTER TABLE deliveries ADD COLUMN told_run TEXT;
ALTER TABLE deliveries ADD COLUMN told_by TEXT;
UPDATE deliveries SET told_at = at;
CREATE INDEX deliveries_untold ON deliveries (agent, at) WHERE told_at IS NULL;
CREATE INDEX deliveries_told_to ON deliveries (told_run) WHERE told_run IS NOT NULL;
`;
