import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anOrder } from '../../../test/support/an-order.ts';
import type { Fact } from './fact.ts';
import { liftFact, storedFact } from './lift-fact.ts';

const order = anOrder({
  settings: { onQuota: { usual: 'ask', ofAgent: {} }, prices: {}, questionTimeoutMs: 5_000 },
});
const ordered: Fact = { kind: 'ordered', order, message: null, at: 1 };

test('a fact of this version is read as it was written', () => {
  assert.deepEqual(liftFact(storedFact(ordered)), ordered);
});

test('an order of version 2 did not record its settings and gets the built-in ones', () => {
  const { settings: _, ...older } = order;
  const lifted = liftFact({ ...ordered, order: older, v: 2 } as { readonly v: number });
  const settings = { onQuota: { usual: 'wait', ofAgent: {} }, prices: {}, questionTimeoutMs: 600_000 };
  assert.deepEqual(lifted, { ...ordered, order: { ...older, settings } });
});

test('version 1 left out what was not known', () => {
  assert.deepEqual(liftFact({ kind: 'settled', outcome: null, at: 1 } as object), {
    kind: 'settled',
    outcome: null,
    at: 1,
    keepsFiles: false,
  });
});

test('a fact of a newer Baton is not read', () => {
  assert.throws(() => liftFact({ ...ordered, v: 99 } as { readonly v: number }), /newer Baton/);
});
