import type { NewRow } from '../../pending-rows.ts';
import type { Reader, Tuple, Tx } from '../../tx.ts';

/** One event of this node. */
export interface OutboxRow {
  readonly seq: number;
  readonly eventId: string;
  readonly kind: string;
  readonly corrId: string;
  /** The event id of the first attempt. */
  readonly operation: string;
  readonly attempt: number;
  readonly envelope: string;
  readonly at: number;
  readonly expiresAt: number | null;
  /** Recipients that have not accepted it. */
  readonly waits: number;
  /** When it is sent again if somebody has not accepted it; null where nobody is waited for. */
  readonly dueAt: number | null;
}

/** An event on its way to one node. */
export interface OutboxFrame {
  readonly dest: string;
  readonly seq: number;
  readonly prev: number;
  readonly fences: string;
}

const COLUMNS = 'seq, event_id, kind, corr_id, operation, attempt, envelope, at, expires_at, waits, due_at';

function toRow(tuple: Tuple): OutboxRow {
  return {
    seq: tuple[0] as number,
    eventId: tuple[1] as string,
    kind: tuple[2] as string,
    corrId: tuple[3] as string,
    operation: tuple[4] as string,
    attempt: tuple[5] as number,
    envelope: tuple[6] as string,
    at: tuple[7] as number,
    expiresAt: tuple[8] as number | null,
    waits: tuple[9] as number,
    dueAt: tuple[10] as number | null,
  };
}

const EVENT: NewRow = {
  table: 'outbox',
  into: `INSERT INTO outbox (${COLUMNS}) VALUES`,
  row: '(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
};
const FRAME: NewRow = {
  table: 'outbox_frames',
  into: 'INSERT INTO outbox_frames (dest, seq, prev, fences) VALUES',
  row: '(?, ?, ?, ?)',
};

export function insertOutbox(tx: Tx, row: OutboxRow): void {
  const { seq, eventId, kind, corrId, operation, attempt, envelope, at, expiresAt, waits, dueAt } = row;
  tx.insert(EVENT, seq, eventId, kind, corrId, operation, attempt, envelope, at, expiresAt, waits, dueAt);
}

export function insertFrame(tx: Tx, { dest, seq, prev, fences }: OutboxFrame): void {
  tx.insert(FRAME, dest, seq, prev, fences);
}

export function lastOutboxSeq(tx: Reader): number {
  return Number(tx.tuple('SELECT max(seq) FROM outbox')?.[0] ?? 0);
}

const SEQ = 'outbox seq';

/** The next seq of the outbox: read once a transaction, so that the rows of a batch are written together. */
export function nextOutboxSeq(tx: Tx): number {
  const seq = tx.counted(SEQ, () => lastOutboxSeq(tx)) + 1;
  tx.count(SEQ, seq);
  return seq;
}

/** Notes a frame for a node; returns the seq of the one before it, 0 for the first. */
export function chainFrame(tx: Tx, dest: string, seq: number): number {
  const name = `frame for ${dest}`;
  const last = () => Number(tx.tuple('SELECT max(seq) FROM outbox_frames WHERE dest = ?', dest)?.[0] ?? 0);
  const prev = tx.counted(name, last);
  tx.count(name, seq);
  return prev;
}

/** Empties the outbox for a new epoch, whose first seq is 1. */
export function clearOutbox(tx: Tx): void {
  tx.write('DELETE FROM outbox_frames');
  tx.write('DELETE FROM outbox');
  tx.forgetCounts();
}

export type SentFrame = OutboxFrame & Pick<OutboxRow, 'envelope' | 'at'>;

const SELECT_FRAMES = `SELECT dest, outbox.seq, prev, fences, envelope, at FROM outbox_frames
  JOIN outbox ON outbox.seq = outbox_frames.seq`;

function toFrame([dest, seq, prev, fences, envelope, at]: Tuple): SentFrame {
  return {
    dest: dest as string,
    seq: seq as number,
    prev: prev as number,
    fences: fences as string,
    envelope: envelope as string,
    at: at as number,
  };
}

/** Frames of events after a seq, in order; all frames of an event, or none. */
export function selectFramesAfter(tx: Reader, after: number, limit: number): SentFrame[] {
  const end = tx.tuple(
    'SELECT max(seq) FROM (SELECT seq FROM outbox_frames WHERE seq > ? ORDER BY seq LIMIT ?)',
    after,
    limit,
  )?.[0];
  if (end === null || end === undefined) return [];
  const sql = `${SELECT_FRAMES} WHERE outbox_frames.seq > ? AND outbox_frames.seq <= ? ORDER BY outbox_frames.seq`;
  return tx.tuples(sql, after, end as number).map(toFrame);
}

/** The last frame for each node, up to a seq. */
export function selectLastFrames(tx: Reader, upTo: number): { readonly dest: string; readonly frame: number }[] {
  // From one node to the next in the index: a GROUP BY would read every frame.
  const sql = `WITH RECURSIVE nodes (dest) AS (SELECT min(dest) FROM outbox_frames UNION ALL
      SELECT (SELECT min(dest) FROM outbox_frames WHERE dest > nodes.dest) FROM nodes WHERE nodes.dest IS NOT NULL)
    SELECT dest, (SELECT max(seq) FROM outbox_frames WHERE outbox_frames.dest = nodes.dest AND seq <= ?) AS frame
    FROM nodes WHERE dest IS NOT NULL AND frame IS NOT NULL`;
  return tx.tuples(sql, upTo).map(([dest, frame]) => ({ dest: dest as string, frame: frame as number }));
}

/** Frames for one node in a range, both ends included. */
export function selectFramesFor(
  tx: Reader,
  dest: string,
  { first, last, limit }: { readonly first: number; readonly last: number; readonly limit: number },
): SentFrame[] {
  const sql = `${SELECT_FRAMES} WHERE dest = ? AND outbox_frames.seq BETWEEN ? AND ? ORDER BY outbox_frames.seq LIMIT ?`;
  return tx.tuples(sql, dest, first, last, limit).map(toFrame);
}

export function selectSent(tx: Reader, eventId: string): OutboxRow | null {
  const tuple = tx.tuple(`SELECT ${COLUMNS} FROM outbox WHERE event_id = ?`, eventId);
  return tuple ? toRow(tuple) : null;
}

/** The highest attempt among the events of one operation, also of those that went to other recipients. */
export function lastAttempt(tx: Reader, { corrId, kind }: Pick<OutboxRow, 'corrId' | 'kind'>): number {
  return Number(tx.tuple('SELECT max(attempt) FROM outbox WHERE corr_id = ? AND kind = ?', corrId, kind)?.[0] ?? 0);
}

/** The first attempts of messages and replies that this node sent, oldest first; of more than the limit the newest. */
export function selectSentMessages(tx: Reader, limit: number): string[] {
  const sql =
    "SELECT event_id FROM outbox WHERE kind IN ('message', 'reply') AND attempt = 1 ORDER BY seq DESC LIMIT ?";
  return tx
    .tuples(sql, limit)
    .map(([id]) => id as string)
    .reverse();
}

/** The operations that events are attempts of, by event id. */
export function selectOperations(tx: Reader, eventIds: readonly string[]): Map<string, string> {
  const sql = 'SELECT event_id, operation FROM outbox WHERE event_id IN (SELECT value FROM json_each(?))';
  return new Map(
    tx.tuples(sql, JSON.stringify(eventIds)).map(([id, operation]) => [id as string, operation as string]),
  );
}

/** Events that are due to be sent again, the earliest first. */
export function selectDue(tx: Reader, nowMs: number, limit: number): OutboxRow[] {
  const sql = `SELECT ${COLUMNS} FROM outbox WHERE due_at <= ? ORDER BY due_at LIMIT ?`;
  return tx.tuples(sql, nowMs, limit).map(toRow);
}

/** All events with the nodes that they are for, in order. */
export function selectOutbox(tx: Reader): (OutboxRow & { readonly frames: readonly OutboxFrame[] })[] {
  const frames = tx
    .tuples('SELECT dest, seq, prev, fences FROM outbox_frames')
    .map(([dest, seq, prev, fences]) => ({ dest, seq, prev, fences }) as OutboxFrame);
  const ofEvent = Map.groupBy(frames, ({ seq }) => seq);
  const rows = tx.tuples(`SELECT ${COLUMNS} FROM outbox ORDER BY seq`).map(toRow);
  return rows.map((row) => ({ ...row, frames: ofEvent.get(row.seq) ?? [] }));
}

export function firstWaitingSeq(tx: Reader): number | null {
  return (tx.tuple('SELECT min(seq) FROM outbox WHERE due_at IS NOT NULL')?.[0] ?? null) as number | null;
}

/** One more recipient has accepted the operation. */
export function waitForOneLess(tx: Tx, operation: string): void {
  const sql = `UPDATE outbox SET waits = waits - 1, due_at = CASE WHEN waits > 1 THEN due_at END
    WHERE operation = ? AND waits > 0`;
  tx.write(sql, operation);
}

/** Whether an operation is sent again where somebody does not accept it. */
export function isAwaitedStill(tx: Reader, operation: string): boolean {
  return tx.tuple('SELECT 1 FROM outbox WHERE operation = ? AND waits > 0 LIMIT 1', operation) !== undefined;
}

/** This attempt is followed by another. */
export function endAttempt(tx: Tx, seq: number): void {
  tx.write('UPDATE outbox SET waits = 0, due_at = NULL WHERE seq = ?', seq);
}

/** No attempt of an operation is waited for any more. */
export function stopWaiting(tx: Tx, operation: string): void {
  tx.write('UPDATE outbox SET waits = 0, due_at = NULL WHERE operation = ? AND waits > 0', operation);
}

export function lastOutboxSeqBefore(tx: Reader, atMs: number): number {
  // Seq and time grow together; only a clock that was set back makes a row young again, and keeps it.
  const sql = 'SELECT coalesce(min(seq) - 1, (SELECT max(seq) FROM outbox), 0) FROM outbox WHERE at >= ?';
  return Number(tx.tuple(sql, atMs)?.[0] ?? 0);
}

/** The last frame for each node stays: the next one names it, so that a reader who missed it notices. */
export function deleteOutboxUpTo(tx: Tx, seq: number): void {
  const sql = `DELETE FROM outbox_frames WHERE seq <= ? AND seq < (SELECT max(later.seq) FROM outbox_frames AS later
    WHERE later.dest = outbox_frames.dest)`;
  tx.write(sql, seq);
  tx.write('DELETE FROM outbox WHERE seq <= ?', seq);
}

export interface DeliveryReceipt {
  readonly operation: string;
  readonly agent: string;
  readonly node: string;
  readonly sentAt: number;
  readonly acceptedAt: number | null;
  readonly processedAt: number | null;
  readonly failedAt: number | null;
}

const RECEIPT: NewRow = {
  table: 'receipts',
  into: 'INSERT OR IGNORE INTO receipts (operation, agent, node, sent_at) VALUES',
  row: '(?, ?, ?, ?)',
};

export function insertReceipt(
  tx: Tx,
  { operation, agent, node, sentAt }: Pick<DeliveryReceipt, 'operation' | 'agent' | 'node' | 'sentAt'>,
): void {
  tx.insert(RECEIPT, operation, agent, node, sentAt);
}

const SELECT_RECEIPTS = `SELECT operation, agent, node, sent_at, accepted_at, processed_at, failed_at FROM receipts`;

function toReceipt([operation, agent, node, sentAt, acceptedAt, processedAt, failedAt]: Tuple): DeliveryReceipt {
  return {
    operation: operation as string,
    agent: agent as string,
    node: node as string,
    sentAt: sentAt as number,
    acceptedAt: acceptedAt as number | null,
    processedAt: processedAt as number | null,
    failedAt: failedAt as number | null,
  };
}

export function selectReceipts(tx: Reader, operation: string): DeliveryReceipt[] {
  return tx.tuples(`${SELECT_RECEIPTS} WHERE operation = ? ORDER BY agent`, operation).map(toReceipt);
}

type ReceiptColumn = 'accepted_at' | 'processed_at' | 'failed_at';

/** Notes an acknowledgement by a node for one of its recipients, or for all of them; returns how many were new. */
export function noteReceipt(
  tx: Tx,
  { operation, node, agent }: { readonly operation: string; readonly node: string; readonly agent: string | null },
  column: ReceiptColumn,
): number {
  const sql = `UPDATE receipts SET ${column} = ? WHERE operation = ? AND node = ? AND (? IS NULL OR agent = ?) AND ${column} IS NULL`;
  return tx.change(sql, tx.moment.now.wallMs, operation, node, agent, agent);
}

/** The recipient has moved to another node. */
export function updateReceiptNode(
  tx: Tx,
  { operation, agent, node }: Pick<DeliveryReceipt, 'operation' | 'agent' | 'node'>,
): void {
  tx.write(
    'UPDATE receipts SET node = ? WHERE operation = ? AND agent = ? AND node <> ?',
    node,
    operation,
    agent,
    node,
  );
}
