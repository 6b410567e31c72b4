import type { NewRow } from '../../pending-rows.ts';
import type { Reader, Tuple, Tx } from '../../tx.ts';

/** One event of another node that is for somebody here. */
export interface InboxRow {
  readonly eventId: string;
  readonly source: string;
  readonly kind: string;
  readonly corrId: string | null;
  readonly attempt: number;
  readonly payloadHash: string;
  readonly envelope: string;
  readonly at: number;
  /** Something is still to be done about it. */
  readonly isQueued: boolean;
  /** Its final acknowledgement; null while there is none. */
  readonly endedAs: 'processed' | 'failed_terminal' | null;
}

const COLUMNS = 'event_id, source, kind, corr_id, attempt, payload_hash, envelope, at, is_queued, ended_as';

function toRow(tuple: Tuple): InboxRow {
  return {
    eventId: tuple[0] as string,
    source: tuple[1] as string,
    kind: tuple[2] as string,
    corrId: tuple[3] as string | null,
    attempt: tuple[4] as number,
    payloadHash: tuple[5] as string,
    envelope: tuple[6] as string,
    at: tuple[7] as number,
    isQueued: tuple[8] === 1,
    endedAs: tuple[9] as InboxRow['endedAs'],
  };
}

const EVENT: NewRow = {
  table: 'inbox',
  into: `INSERT INTO inbox (${COLUMNS}) VALUES`,
  row: '(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
};
const DELIVERY: NewRow = {
  table: 'deliveries',
  into: 'INSERT INTO deliveries (agent, event_id, at) VALUES',
  row: '(?, ?, ?)',
};

export function insertInbox(tx: Tx, row: InboxRow): void {
  const { eventId, source, kind, corrId, attempt, payloadHash, envelope, at, isQueued, endedAs } = row;
  tx.insert(EVENT, eventId, source, kind, corrId, attempt, payloadHash, envelope, at, isQueued ? 1 : 0, endedAs);
}

/** One injection: a second one of the same event for the same recipient breaks the key and with it the transaction. */
export function insertDelivery(tx: Tx, { eventId, agent, at }: { eventId: string; agent: string; at: number }): void {
  tx.insert(DELIVERY, agent, eventId, at);
}

/** The events among these that were stored before. */
export function selectKnownEvents(tx: Reader, eventIds: readonly string[]): Set<string> {
  const sql = 'SELECT event_id FROM inbox WHERE event_id IN (SELECT value FROM json_each(?))';
  return new Set(tx.tuples(sql, JSON.stringify(eventIds)).map(([id]) => id as string));
}

export function selectInbox(tx: Reader, eventId: string): InboxRow | null {
  const tuple = tx.tuple(`SELECT ${COLUMNS} FROM inbox WHERE event_id = ?`, eventId);
  return tuple ? toRow(tuple) : null;
}

/** The event that another repeats: same source, correlation, kind and payload (runtime:resend), and at least this attempt. */
export function selectRepeated(
  tx: Reader,
  { source, corrId, kind, payloadHash }: Pick<InboxRow, 'source' | 'corrId' | 'kind' | 'payloadHash'>,
  attemptMin: number,
): InboxRow | null {
  const sql = `SELECT ${COLUMNS} FROM inbox WHERE source = ? AND corr_id = ? AND kind = ? AND payload_hash = ? AND attempt >= ?
    ORDER BY at LIMIT 1`;
  const tuple = tx.tuple(sql, source, corrId, kind, payloadHash, attemptMin);
  return tuple ? toRow(tuple) : null;
}

/** Whether a later attempt of an event of this source came before its first one. */
export function hasResent(tx: Reader, source: string): boolean {
  return tx.tuple('SELECT 1 FROM inbox WHERE source = ? AND attempt > 1 LIMIT 1', source) !== undefined;
}

/** Events of a kind about which something is still to be done, oldest first. */
export function selectQueued(tx: Reader, kind: string, limit: number): InboxRow[] {
  const sql = `SELECT ${COLUMNS} FROM inbox WHERE is_queued = 1 AND kind = ? ORDER BY at LIMIT ?`;
  return tx.tuples(sql, kind, limit).map(toRow);
}

/** Those among them of one correlation. */
export function selectQueuedBy(
  tx: Reader,
  { source, corrId, kind }: { readonly source: string; readonly corrId: string; readonly kind: string },
): InboxRow[] {
  const sql = `SELECT ${COLUMNS} FROM inbox WHERE source = ? AND corr_id = ? AND kind = ? AND is_queued = 1`;
  return tx.tuples(sql, source, corrId, kind).map(toRow);
}

/** All events of one correlation and kind, oldest first. */
export function selectEventsOf(
  tx: Reader,
  { source, corrId, kind }: { readonly source: string; readonly corrId: string; readonly kind: string },
): string[] {
  const sql = 'SELECT event_id FROM inbox WHERE source = ? AND corr_id = ? AND kind = ? ORDER BY at, event_id';
  return tx.tuples(sql, source, corrId, kind).map(([eventId]) => eventId as string);
}

export function updateInbox(
  tx: Tx,
  { eventId, isQueued, endedAs }: Pick<InboxRow, 'eventId' | 'isQueued' | 'endedAs'>,
): void {
  tx.write('UPDATE inbox SET is_queued = ?, ended_as = ? WHERE event_id = ?', isQueued ? 1 : 0, endedAs, eventId);
}

export function recipientsOf(tx: Reader, eventId: string): string[] {
  const sql = 'SELECT agent FROM deliveries WHERE event_id = ? ORDER BY agent';
  return tx.tuples(sql, eventId).map(([agent]) => agent as string);
}

/** A message or reply for one of its recipients. */
export interface MailRow {
  readonly eventId: string;
  readonly agent: string;
  readonly envelope: string;
  readonly isRead: boolean;
}

/** Messages and replies for an agent, or for all, oldest first; of more than the limit the newest. */
export function selectMail(
  tx: Reader,
  {
    agent,
    isUnreadOnly,
    limit,
  }: { readonly agent: string | null; readonly isUnreadOnly: boolean; readonly limit: number },
): MailRow[] {
  const sql = `SELECT deliveries.event_id, agent, envelope, read_at FROM deliveries
    JOIN inbox ON inbox.event_id = deliveries.event_id
    WHERE kind IN ('message', 'reply') AND (? IS NULL OR agent = ?) ${isUnreadOnly ? 'AND read_at IS NULL' : ''}
    ORDER BY deliveries.at DESC, deliveries.event_id DESC LIMIT ?`;
  return tx
    .tuples(sql, agent, agent, limit)
    .map(([eventId, recipient, envelope, readAt]) => ({
      eventId: eventId as string,
      agent: recipient as string,
      envelope: envelope as string,
      isRead: readAt !== null,
    }))
    .reverse();
}

export function markRead(tx: Tx, eventId: string, agent: string): void {
  const sql = 'UPDATE deliveries SET read_at = ? WHERE event_id = ? AND agent = ? AND read_at IS NULL';
  tx.write(sql, tx.moment.now.wallMs, eventId, agent);
}

/** Events that were stored before; those that are queued stay. */
export function deleteInboxBefore(tx: Tx, atMs: number, limit: number): void {
  const old = 'SELECT event_id FROM inbox WHERE at < ? AND is_queued = 0 LIMIT ?';
  tx.write(`DELETE FROM deliveries WHERE event_id IN (${old})`, atMs, limit);
  tx.write(`DELETE FROM inbox WHERE event_id IN (${old})`, atMs, limit);
}

/** The place of this node in the outbox of another. */
export interface CursorRow {
  readonly source: string;
  readonly epoch: string;
  readonly lastSeq: number;
  readonly lastFrame: number;
  /** For the transport; null where it is unknown. */
  readonly position: string | null;
  readonly updatedAt: number;
}

const SELECT_CURSOR = 'SELECT source, epoch, last_seq, last_frame, position, updated_at FROM cursors';

function toCursor([source, epoch, lastSeq, lastFrame, position, updatedAt]: Tuple): CursorRow {
  return {
    source: source as string,
    epoch: epoch as string,
    lastSeq: lastSeq as number,
    lastFrame: lastFrame as number,
    position: position as string | null,
    updatedAt: updatedAt as number,
  };
}

export function selectCursor(tx: Reader, source: string): CursorRow | null {
  const tuple = tx.tuple(`${SELECT_CURSOR} WHERE source = ?`, source);
  return tuple ? toCursor(tuple) : null;
}

export function upsertCursor(tx: Tx, { source, epoch, lastSeq, lastFrame, position, updatedAt }: CursorRow): void {
  const sql = `INSERT OR REPLACE INTO cursors (source, epoch, last_seq, last_frame, position, updated_at) VALUES (?, ?, ?, ?, ?, ?)`;
  tx.write(sql, source, epoch, lastSeq, lastFrame, position, updatedAt);
}

/** A range of another outbox that was given up on. */
export interface Tombstone {
  readonly source: string;
  readonly epoch: string;
  readonly first: number;
  readonly last: number;
}

export function insertTombstone(tx: Tx, { source, epoch, first, last }: Tombstone): void {
  const sql = 'INSERT OR REPLACE INTO tombstones (source, epoch, first_seq, last_seq, at) VALUES (?, ?, ?, ?, ?)';
  tx.write(sql, source, epoch, first, last, tx.moment.now.wallMs);
}

export function selectTombstones(tx: Reader, source: string, epoch: string): Tombstone[] {
  const sql = 'SELECT first_seq, last_seq FROM tombstones WHERE source = ? AND epoch = ? ORDER BY first_seq';
  return tx.tuples(sql, source, epoch).map(([first, last]) => ({
    source,
    epoch,
    first: first as number,
    last: last as number,
  }));
}

/** The newest ranges of a source that were given up on, in any epoch. */
export function selectLost(tx: Reader, source: string, limit: number): Tombstone[] {
  const sql =
    'SELECT epoch, first_seq, last_seq FROM tombstones WHERE source = ? ORDER BY at DESC, first_seq DESC LIMIT ?';
  return tx.tuples(sql, source, limit).map(([epoch, first, last]) => ({
    source,
    epoch: epoch as string,
    first: first as number,
    last: last as number,
  }));
}

export function countTombstones(tx: Reader, source: string): number {
  return Number(tx.tuple('SELECT count(*) FROM tombstones WHERE source = ?', source)?.[0] ?? 0);
}
