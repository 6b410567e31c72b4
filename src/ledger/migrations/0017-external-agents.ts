/**
 * External agents: invites and refresh tokens as hashes, the keys that were enrolled by them, the proofs that were used, and one
 * row for each call. Proofs end in the order in which they came, so their number follows from the first and the last.
 */
export const externalAgentsMigration = `
CREATE TABLE invites (
  id TEXT PRIMARY KEY,
  code_hash TEXT NOT NULL UNIQUE,
  agent TEXT NOT NULL,
  scopes TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  boot_id TEXT NOT NULL,
  expires_mono INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER,
  revoked_at INTEGER,
  enrolment_id TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX invites_by_agent ON invites (agent);

CREATE TABLE enrolments (
  id TEXT PRIMARY KEY,
  agent TEXT NOT NULL,
  thumbprint TEXT NOT NULL,
  scopes TEXT NOT NULL,
  invite_id TEXT NOT NULL,
  enrolled_at INTEGER NOT NULL,
  revoked_at INTEGER,
  revoked_why TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX enrolments_by_agent ON enrolments (agent);

CREATE TABLE refresh_tokens (
  hash TEXT PRIMARY KEY,
  enrolment_id TEXT NOT NULL,
  boot_id TEXT NOT NULL,
  expires_mono INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX refresh_tokens_by_enrolment ON refresh_tokens (enrolment_id);
CREATE INDEX refresh_tokens_by_end ON refresh_tokens (expires_at);

CREATE TABLE used_proofs (
  n INTEGER PRIMARY KEY,
  thumbprint TEXT NOT NULL,
  jti TEXT NOT NULL,
  target TEXT NOT NULL,
  boot_id TEXT NOT NULL,
  expires_mono INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  UNIQUE (thumbprint, jti, target)
) STRICT;

CREATE TABLE audit (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  verdict TEXT NOT NULL,
  code TEXT,
  answer TEXT,
  actor TEXT,
  session_id TEXT,
  thumbprint TEXT,
  scope TEXT,
  operation TEXT NOT NULL,
  task TEXT,
  corr_id TEXT NOT NULL,
  call_key TEXT,
  address TEXT NOT NULL,
  times INTEGER NOT NULL
) STRICT;
CREATE INDEX audit_by_actor ON audit (actor, n) WHERE actor IS NOT NULL;
CREATE INDEX audit_by_session ON audit (session_id, n) WHERE session_id IS NOT NULL;
CREATE INDEX audit_by_correlation ON audit (corr_id);
CREATE INDEX audit_by_key ON audit (session_id, call_key) WHERE call_key IS NOT NULL;
CREATE INDEX audit_by_age ON audit (at);
`;
