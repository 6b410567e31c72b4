import assert from 'node:assert/strict';
import { test } from 'node:test';
import { appendEvent } from '../../src/federation/outbox.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { randomIds } from '../../src/platform/ids.ts';
import { copyLedger, openMemoryLedger } from '../support/ledger/memory-ledger.ts';

const EVENTS = 500;

/** Ids and seqs of events that a node records from a state of its ledger on. */
async function recorded(
  nodeId: string,
  from?: Uint8Array,
): Promise<{ ids: string[]; seqs: number[]; copy: Uint8Array }> {
  const ledger = openMemoryLedger(systemClock(), randomIds(), from);
  const sender = { nodeId, routingPolicyVersion: 'r', capabilityPolicyVersion: 'c' };
  const to = [{ agent: 'x', node: 'x', fence: null }];
  const ids: string[] = [];
  const seqs: number[] = [];
  for (let at = 0; at < EVENTS; at++) {
    const made = await ledger.submit(
      (tx) => appendEvent(tx, sender, { kind: 'signal', fromAgent: nodeId, to, payload: {} }),
      {},
    );
    assert.ok('eventId' in made);
    ids.push(made.eventId);
    seqs.push(made.seq);
  }
  return { ids, seqs, copy: copyLedger(ledger) };
}

test('no two events of two nodes have the same id, also after a ledger was put back', async () => {
  const first = await recorded('a');
  const other = await recorded('b');
  const again = await recorded('a', first.copy);
  const restored = await recorded('a', first.copy);
  const all = [first, other, again, restored].flatMap(({ ids }) => ids);
  assert.equal(new Set(all).size, 4 * EVENTS);
  for (const id of all) assert.match(id, /^evt_[0-9A-HJKMNP-TV-Z]{26}$/);
});

test('the events of a node are numbered one by one, and a ledger that was opened again counts on', async () => {
  const first = await recorded('a');
  const again = await recorded('a', first.copy);
  assert.deepEqual(
    [...first.seqs, ...again.seqs],
    Array.from({ length: 2 * EVENTS }, (_, at) => at + 1),
  );
});
