import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryStore } from '../../src/federation/memory/memory-store.ts';
import { selectOpenIncidents } from '../../src/ledger/statements/incidents.ts';
import { quiet, SimNode } from '../support/sim-federation.ts';
import { SimTime } from '../support/sim-time.ts';

const NAMES = ['a', 'b'];
const STEP_MS = 1_000;

function stage() {
  const time = new SimTime();
  const store = new MemoryStore(() => time.nowMs);
  const parts = { time, store, names: NAMES, gapPolicy: 'halt' } as const;
  const [a, b] = [new SimNode('a', parts), new SimNode('b', parts)];
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += STEP_MS) {
      time.pass(STEP_MS);
      for (const node of [a, b]) await node.tick();
      await quiet(store);
    }
  };
  const incidents = () => selectOpenIncidents(b.ledger.read, 10).map(({ kind }) => kind);
  const received = () => Number(b.ledger.db.prepare('SELECT count(*) AS rows FROM inbox').get()?.rows);
  return { a, b, store, pass, incidents, received };
}

test('with the policy halt reading stops at a gap with one incident, which closes when the missing event comes', async () => {
  const { a, b, store, pass, incidents, received } = stage();
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
