import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** A message that its sender has acknowledged. */
export interface SentMail {
  readonly from: string;
  readonly to: string;
  readonly body: string;
}

/** Broken promises of delivery, read from the ledgers of the nodes: lost or doubled messages, holes in outboxes, places of readers. */
export function findUndelivered(folderOf: (node: string) => string, sent: readonly SentMail[]): readonly string[] {
  const nodes = [...new Set(sent.flatMap(({ from, to }) => [from, to]))].sort();
  const ledgers = new Map(nodes.map((node) => [node, openLedger(folderOf(node))]));
  try {
    const of = (node: string) => ledgers.get(node) as DatabaseSync;
    return [
      ...sent.flatMap((mail) => arrivals(of, mail)),
      ...nodes.flatMap((node) => [...holes(node, of(node)), ...doubled(node, of(node))]),
      ...nodes.flatMap((reader) => nodes.flatMap((source) => (source === reader ? [] : behind(of, reader, source)))),
      ...nodes.flatMap((node) => silentGaps(node, of(node))),
    ];
  } finally {
    for (const ledger of ledgers.values()) ledger.close();
  }
}

type LedgerOf = (node: string) => DatabaseSync;

function openLedger(folder: string): DatabaseSync {
  return new DatabaseSync(join(folder, 'ledger.sqlite'), { readOnly: true, timeout: 5_000 });
}

function arrivals(of: LedgerOf, { from, to, body }: SentMail): readonly string[] {
  const arrived = `SELECT count(*) AS rows FROM deliveries JOIN inbox ON inbox.event_id = deliveries.event_id
    WHERE agent = ? AND source = ? AND json_extract(envelope, '$.payload.body') = ?`;
  const rows = Number(of(to).prepare(arrived).get(to, from, body)?.['rows']);
  const waiting = `SELECT count(*) AS rows FROM receipts WHERE accepted_at IS NULL AND operation IN
    (SELECT operation FROM outbox WHERE json_extract(envelope, '$.payload.body') = ?)`;
  const unaccepted = Number(of(from).prepare(waiting).get(body)?.['rows']);
  return [
    ...(rows === 1 ? [] : [`${body} arrived ${rows} times at ${to}`]),
    ...(unaccepted === 0 ? [] : [`${body} is not accepted`]),
  ];
}

function holes(node: string, ledger: DatabaseSync): readonly string[] {
  const sql = 'SELECT count(*) AS rows, coalesce(max(seq), 0) AS last, coalesce(min(seq), 1) AS first FROM outbox';
  const { rows, last, first } = ledger.prepare(sql).get() as Record<string, number>;
  return Number(last) - Number(first) + 1 === rows ? [] : [`the outbox of ${node} has holes`];
}

function doubled(node: string, ledger: DatabaseSync): readonly string[] {
  const sql = `SELECT json_extract(payload, '$.eventId') AS event, count(*) AS rows FROM events
    WHERE type = 'message.received' GROUP BY event HAVING rows > 1`;
  return ledger
    .prepare(sql)
    .all()
    .map(({ event, rows }) => `${node} got ${event} ${rows} times`);
}

function behind(of: LedgerOf, reader: string, source: string): readonly string[] {
  const last = of(source).prepare('SELECT max(seq) AS last FROM outbox_frames WHERE dest = ?').get(reader)?.['last'];
  if (last === null || last === undefined) return [];
  const cursor = of(reader).prepare('SELECT last_frame FROM cursors WHERE source = ?').get(source)?.['last_frame'];
  return cursor === last ? [] : [`${reader} has read ${source} up to ${cursor}, which ends at ${last}`];
}

function silentGaps(node: string, ledger: DatabaseSync): readonly string[] {
  const count = (sql: string) => Number(ledger.prepare(sql).get()?.['rows']);
  const passed = count("SELECT count(*) AS rows FROM events WHERE type = 'federation.gap_passed'");
  const named = count("SELECT count(*) AS rows FROM incidents WHERE kind = 'gap'");
  return passed === named ? [] : [`${node} passed ${passed} gaps and has ${named} incidents`];
}
