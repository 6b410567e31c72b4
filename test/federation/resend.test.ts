import assert from 'node:assert/strict';
import { test } from 'node:test';
import { simPair } from '../support/federation/sim-federation.ts';

interface SentRow {
  readonly seq: number;
  readonly event_id: string;
  readonly corr_id: string;
  readonly attempt: number;
  readonly envelope: string;
}

test('without an acknowledgement an event is sent again as a new one, one attempt higher, and is injected once', async () => {
  const { a, b, store, pass, received } = simPair();
  await a.start();
  await b.start();
  await pass(2_000);
  store.cut('b');
  await a.send(['b'], 'hello');
  await pass(70_000);
  const rows = a.ledger.db.prepare('SELECT * FROM outbox ORDER BY seq').all() as unknown as SentRow[];
  assert.ok(rows.length >= 3, `${rows.length} attempts in 70 s`);
  assert.deepEqual(
    rows.map(({ attempt }) => attempt),
    rows.map((_, index) => index + 1),
  );
  assert.equal(new Set(rows.map(({ corr_id }) => corr_id)).size, 1, 'they are one operation');
  assert.equal(new Set(rows.map(({ event_id }) => event_id)).size, rows.length, 'each is an event of its own');
  for (const { envelope, seq, attempt } of rows) {
    const { seq: inside, trace } = JSON.parse(envelope) as { seq: number; trace: { attempt: number } };
    assert.deepEqual([inside, trace.attempt], [seq, attempt]);
  }
  store.heal('b');
  await pass(40_000);
  assert.equal(received(), 1);
  const open = a.ledger.db.prepare('SELECT count(*) AS rows FROM receipts WHERE accepted_at IS NULL').get();
  assert.equal(Number(open?.rows), 0);
  const before = a.ledger.db.prepare('SELECT max(attempt) AS last FROM outbox').get()?.last;
  await pass(120_000);
  const after = a.ledger.db.prepare('SELECT max(attempt) AS last FROM outbox').get()?.last;
  assert.equal(after, before, 'what was accepted is not sent again');
});

test('after fifteen attempts the event is given up: a dead letter names it, and one incident is open', async () => {
  const { a, b, store, pass, received } = simPair();
  await a.start();
  await b.start();
  await pass(2_000);
  store.cut('b');
  await a.send(['b'], 'hello');
  await pass(3_600_000);
  const sql = 'SELECT kind, attempt, event_id, envelope FROM outbox ORDER BY seq';
  const rows = a.ledger.db.prepare(sql).all() as unknown as (SentRow & { readonly kind: string })[];
  const sent = rows.filter(({ kind }) => kind === 'message');
  assert.deepEqual(
    sent.map(({ attempt }) => attempt),
    Array.from({ length: 15 }, (_, at) => at + 1),
  );
  const letters = rows.filter(({ kind }) => kind === 'dead_letter').map(({ envelope }) => JSON.parse(envelope).payload);
  assert.deepEqual(
    letters.map(({ refEventId, refKind, reason, attempts }) => [refEventId, refKind, reason, attempts]),
    [[sent[0]?.event_id, 'message', 'unacknowledged', 15]],
  );
  const open = a.ledger.db.prepare('SELECT kind FROM incidents WHERE closed_at IS NULL').all();
  assert.deepEqual(
    open.map(({ kind }) => kind),
    ['undelivered'],
  );
  assert.equal(received(), 0);
});
