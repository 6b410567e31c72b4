/**
 * The agents that a published skill went to, with their answers, and the skills of other nodes that are installed here. An
 * incident has the key of its subject. Notices that were given up get a new incident with the next failure.
 */
export const skillDistributionMigration = `
CREATE TABLE skill_targets (
  capability_id TEXT NOT NULL,
  agent TEXT NOT NULL,
  node TEXT NOT NULL,
  task_id TEXT NOT NULL,
  skill TEXT NOT NULL,
  version TEXT NOT NULL,
  blob TEXT,
  state TEXT NOT NULL,
  reason TEXT,
  required_by INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (capability_id, agent)
) STRICT, WITHOUT ROWID;
CREATE INDEX skill_targets_task ON skill_targets (task_id);
CREATE TABLE installed_skills (
  skill TEXT PRIMARY KEY,
  version TEXT NOT NULL,
  blob TEXT NOT NULL,
  source TEXT NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
ALTER TABLE incidents ADD COLUMN subject TEXT;
UPDATE incidents SET subject = substr(detail, 1, instr(detail, ':') - 1) WHERE kind = 'undelivered';
UPDATE incidents SET closed_at = opened_at WHERE kind = 'notice_undelivered' AND closed_at IS NULL;
`;
