/** The agents that a published skill went to, with their answers, and the skills of other nodes that are installed here. */
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
`;
