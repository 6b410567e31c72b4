import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CURSOR_LEASE_SECONDS, OUTBOX_KEPT_MS } from '../../src/domain/federation/federation-limits.ts';
import { compactOutbox } from '../../src/federation/compact.ts';
import { MemoryTransport } from '../../src/federation/memory/memory-transport.ts';
import { simPair } from '../support/federation/sim-federation.ts';

test('old events go once every active reader has them; a reader whose lease has expired holds nothing back', async () => {
  const { a, b, store, pass } = simPair();
  await a.start();
  await b.start();
  const seqs = () =>
    (a.ledger.db.prepare('SELECT seq FROM outbox ORDER BY seq').all() as { seq: number }[]).map(({ seq }) => seq);
  const compact = () => compactOutbox({ nodeId: 'a', ledger: a.ledger, transport: new MemoryTransport(store, 'a') });
  await b.send(['a'], 'one');
  await pass(5_000);
  assert.deepEqual(seqs(), [1], 'the acknowledgement');
  // Acknowledgements wait for nobody: only the cursor of their reader holds them back.
  store.cut('a');
  for (const body of ['two', 'three', 'four']) await b.send(['a'], body);
  await pass(2_000);
  store.cut('b');
  store.heal('a');
  await pass(5_000);
  assert.deepEqual(seqs(), [1, 2, 3, 4]);
  assert.equal(await compact(), 0, 'nothing is old enough');
  a.skewMs = OUTBOX_KEPT_MS + 60_000;
  assert.equal(await compact(), 1, 'the active reader has the first');
  assert.deepEqual(seqs(), [2, 3, 4]);
  await pass(CURSOR_LEASE_SECONDS * 1_000);
  assert.equal(await compact(), 3, 'its lease has expired; the newest stays');
  assert.deepEqual(seqs(), [4]);
});

test('a cursor whose lease has expired is stale, holds nothing back, and is active again with its reader', async () => {
  const { a, b, store, pass } = simPair();
  await a.start();
  await b.start();
  await a.send(['b'], 'one');
  await pass(5_000);
  const record = () => JSON.parse(store.get('delivery.cursors.b.a')?.value ?? '{}') as Record<string, unknown>;
  const before = record();
  assert.deepEqual(Object.keys(before), [
    ...['consumerNodeId', 'sourceNodeId', 'lastSeq', 'updatedAt', 'status', 'leaseExpiresAt', 'epoch'],
  ]);
  assert.equal(before.status, 'active');
  store.cut('b');
  await pass(CURSOR_LEASE_SECONDS * 1_000 + 60_000);
  assert.deepEqual(record(), { ...before, status: 'stale' });
  a.skewMs = OUTBOX_KEPT_MS + 60_000;
  await a.send(['b'], 'two');
  await pass(1_000);
  const transport = new MemoryTransport(store, 'a');
  assert.equal(await compactOutbox({ nodeId: 'a', ledger: a.ledger, transport }), 1, 'the mark is no sign of life');
  store.heal('b');
  await pass(40_000);
  assert.equal(record().status, 'active');
});
