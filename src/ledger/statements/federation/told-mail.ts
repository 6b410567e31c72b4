import type { Reader, Tx } from '../../tx.ts';
import type { MailRow } from './inbox.ts';

/** The way by which a run got a message; one that has expired is told to nobody. */
export type ToldBy = 'prompt' | 'stream' | 'read' | 'expired';

const NAMED = "(agent = ?1 OR (agent >= ?1 || '@' AND agent < ?1 || 'A'))";

/** Messages and replies for an agent, also by its name with this node, that no run of it was told and nobody has answered, oldest first. */
export function selectUntold(tx: Reader, agent: string, limit: number): Omit<MailRow, 'isRead'>[] {
  const sql = `SELECT deliveries.event_id, agent, envelope FROM deliveries JOIN inbox ON inbox.event_id = deliveries.event_id
    WHERE told_at IS NULL AND ${NAMED} AND kind IN ('message', 'reply') AND ended_as IS NULL ORDER BY deliveries.at LIMIT ?2`;
  return tx.tuples(sql, agent, limit).map(([eventId, recipient, envelope]) => ({
    eventId: eventId as string,
    agent: recipient as string,
    envelope: envelope as string,
  }));
}

/** A message reaches the session of its recipient once: a second time breaks the transaction. */
export function markTold(
  tx: Tx,
  { eventId, agent }: Pick<MailRow, 'eventId' | 'agent'>,
  { run, by }: { readonly run: string; readonly by: ToldBy },
): void {
  const sql =
    'UPDATE deliveries SET told_at = ?, told_run = ?, told_by = ? WHERE event_id = ? AND agent = ? AND told_at IS NULL';
  if (tx.change(sql, tx.moment.now.wallMs, run, by, eventId, agent) === 0) {
    throw new Error(`${eventId} was told to ${agent} before`);
  }
}

/** The run has not begun, or could not be told: what it was given waits for the next one. */
export function untellRun(tx: Tx, run: string, by: ToldBy): void {
  const sql =
    'UPDATE deliveries SET told_at = NULL, told_run = NULL, told_by = NULL WHERE told_run = ? AND told_by = ?';
  tx.write(sql, run, by);
}

/** The same for single messages. */
export function untell(tx: Tx, eventIds: readonly string[], run: string): void {
  const sql = `UPDATE deliveries SET told_at = NULL, told_run = NULL, told_by = NULL
    WHERE told_run = ? AND event_id IN (SELECT value FROM json_each(?))`;
  tx.write(sql, run, JSON.stringify(eventIds));
}
