import assert from 'node:assert/strict';
import { test } from 'node:test';
import { selectOpenIncidents } from '../../src/ledger/statements/incidents.ts';
import { simPair } from '../support/federation/sim-federation.ts';

test('with the policy halt reading stops at a gap with one incident, which closes when the missing event comes', async () => {
  const { a, b, store, pass, received } = simPair('halt');
  const incidents = () => selectOpenIncidents(b.ledger.read, 10).map(({ kind }) => kind);
  await a.start();
  await b.start();
  await pass(2_000);
  store.cut('b');
  for (const body of ['one', 'two', 'three']) await a.send(['b'], body);
  await pass(2_000);
  store.lose(({ seq }) => seq === 2);
  store.cut('a');
  store.heal('b');
  await pass(120_000);
  assert.deepEqual(incidents(), ['gap_halted:a']);
  assert.equal(received(), 1, 'nothing behind the gap is taken');
  store.heal('a');
  await pass(60_000);
  assert.equal(received(), 3);
  assert.deepEqual(incidents(), []);
});
