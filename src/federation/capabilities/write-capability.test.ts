import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestLedger } from '../../../test/support/test-ledger.ts';
import type { Capability } from '../../domain/federation/capability.ts';
import { type CapabilityRow, upsertCapability } from '../../ledger/statements/federation/capabilities.ts';
import { MemoryStore } from '../memory/memory-store.ts';
import { MemoryTransport } from '../memory/memory-transport.ts';
import { KEYS } from '../records.ts';
import { restoreCapabilities, writeCapability } from './write-capability.ts';

const ID = 'cap.a';

function rowOf(status: Capability['status']): CapabilityRow {
  const catalog = { capabilityId: ID, status, contractSchemaRef: 'schema://f/cap.a/1.0.0' } as Capability;
  return { catalog, eligibleAgentIds: ['emma'], contract: null, skillHash: 'h' };
}

/** A node with a capability in its ledger and in the store. */
async function published() {
  const { ledger, clock } = openTestLedger();
  const store = new MemoryStore(() => clock.now().wallMs);
  const parts = { ledger, clock, transport: new MemoryTransport(store, 'left') };
  const keep = async (row: CapabilityRow) => {
    await ledger.submit((tx) => upsertCapability(tx, row) ?? {}, {});
    await writeCapability(parts, row);
  };
  const records = async () => {
    const found = await Promise.all([KEYS.catalog(ID), KEYS.index(ID)].map((key) => parts.transport.get(key)));
    return found.map((entry) => entry && JSON.parse(entry.value));
  };
  await keep(rowOf('active'));
  return { parts, store, keep, records };
}

test('a capability that is removed leaves the index, and its record says so', async () => {
  const { keep, records } = await published();
  const [, index] = await records();
  assert.deepEqual(Object.keys(index), ['capabilityId', 'eligibleAgentIds', 'policyVersion', 'updatedAt']);
  assert.deepEqual(index.eligibleAgentIds, ['emma']);
  await keep(rowOf('disabled'));
  const [catalog, gone] = await records();
  assert.deepEqual([catalog.status, gone], ['disabled', null]);
});

test('records that the store has lost are written again from the ledger', async () => {
  const { parts, store, records } = await published();
  const before = await records();
  store.wipe();
  assert.deepEqual(await records(), [null, null]);
  await restoreCapabilities(parts);
  const [catalog, index] = await records();
  assert.deepEqual([catalog, index.eligibleAgentIds], [before[0], before[1].eligibleAgentIds]);
});
