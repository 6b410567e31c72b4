/**
 * The data plane of a federation. `outbox` has the events of this node in its present epoch, `outbox_frames` the nodes that each
 * of them is for; `receipts` tells what became of an event at each recipient. `inbox` has the events of others that are for this node,
 * and `deliveries` one row for each recipient of theirs, so that none is injected twice. `cursors` and `tombstones` are the places in the
 * outboxes of others, and `peers` the other nodes.
 */
export const federationMigration = `
CREATE TABLE outbox (
  seq INTEGER PRIMARY KEY,
  event_id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  corr_id TEXT NOT NULL,
  operation TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  envelope TEXT NOT NULL,
  at INTEGER NOT NULL,
  expires_at INTEGER,
  waits INTEGER NOT NULL,
  due_at INTEGER
) STRICT;
CREATE INDEX outbox_due ON outbox (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX outbox_waiting ON outbox (operation) WHERE waits > 0;

CREATE TABLE outbox_frames (
  dest TEXT NOT NULL,
  seq INTEGER NOT NULL,
  prev INTEGER NOT NULL,
  fences TEXT NOT NULL,
  PRIMARY KEY (dest, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX outbox_frames_by_seq ON outbox_frames (seq);

CREATE TABLE receipts (
  operation TEXT NOT NULL,
  agent TEXT NOT NULL,
  node TEXT NOT NULL,
  sent_at INTEGER NOT NULL,
  accepted_at INTEGER,
  processed_at INTEGER,
  failed_at INTEGER,
  PRIMARY KEY (operation, agent)
) STRICT, WITHOUT ROWID;

CREATE TABLE inbox (
  event_id TEXT PRIMARY KEY,
  source TEXT NOT NULL,
  kind TEXT NOT NULL,
  corr_id TEXT,
  attempt INTEGER NOT NULL,
  payload_hash TEXT NOT NULL,
  envelope TEXT NOT NULL,
  at INTEGER NOT NULL,
  is_queued INTEGER NOT NULL,
  ended_as TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX inbox_by_correlation ON inbox (source, corr_id, kind) WHERE corr_id IS NOT NULL;
CREATE INDEX inbox_resent ON inbox (source) WHERE attempt > 1;
CREATE INDEX inbox_queued ON inbox (at) WHERE is_queued = 1;
CREATE INDEX inbox_by_age ON inbox (at);

CREATE TABLE deliveries (
  agent TEXT NOT NULL,
  event_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  read_at INTEGER,
  PRIMARY KEY (event_id, agent)
) STRICT, WITHOUT ROWID;
CREATE INDEX deliveries_unread ON deliveries (agent, at) WHERE read_at IS NULL;

CREATE TABLE cursors (
  source TEXT PRIMARY KEY,
  epoch TEXT NOT NULL,
  last_seq INTEGER NOT NULL,
  last_frame INTEGER NOT NULL,
  position TEXT,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE tombstones (
  source TEXT NOT NULL,
  epoch TEXT NOT NULL,
  first_seq INTEGER NOT NULL,
  last_seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (source, epoch, first_seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE peers (
  node TEXT PRIMARY KEY,
  public_key TEXT NOT NULL,
  exchange_key TEXT NOT NULL,
  trust TEXT NOT NULL,
  first_seen_at INTEGER NOT NULL,
  cursor_epoch TEXT,
  cursor_seq INTEGER,
  cursor_at INTEGER
) STRICT, WITHOUT ROWID;
`;
