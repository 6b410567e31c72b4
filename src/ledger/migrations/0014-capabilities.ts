/** Capabilities that this node has published, or removed. The control plane is written again from here after it was lost. */
export const capabilitiesMigration = `
CREATE TABLE capabilities (
  capability_id TEXT PRIMARY KEY,
  catalog TEXT NOT NULL,
  eligible TEXT NOT NULL,
  contract TEXT,
  skill_hash TEXT NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;
