import { type CapabilityRow, selectCapabilities } from '../../ledger/statements/federation/capabilities.ts';
import type { Reader } from '../../ledger/tx.ts';
import type { Clock } from '../../platform/clock.ts';
import { raisePolicy } from '../policies.ts';
import { KEYS, writeOwn } from '../records.ts';
import type { Transport } from '../transport.ts';

interface StoreParts {
  readonly ledger: { readonly read: Reader };
  readonly transport: Transport;
  readonly clock: Clock;
}

/** Writes what the control plane has lost of this node's capabilities. */
export async function restoreCapabilities(parts: StoreParts): Promise<void> {
  const { ledger, transport } = parts;
  for (const row of selectCapabilities(ledger.read)) {
    const { capabilityId, status } = row.catalog;
    const [catalog, index] = await Promise.all([
      transport.get(KEYS.catalog(capabilityId)),
      transport.get(KEYS.index(capabilityId)),
    ]);
    const isIndexed = index !== null;
    if (catalog?.value === JSON.stringify(row.catalog) && isIndexed === (status !== 'disabled')) continue;
    await writeCapability(parts, row);
  }
}

/** The index comes last: routing begins with it. Returns the version of the policy that names the change. */
export async function writeCapability({ transport, clock }: StoreParts, row: CapabilityRow): Promise<string> {
  const { catalog, eligibleAgentIds, contract } = row;
  const { capabilityId, contractSchemaRef, status } = catalog;
  if (status === 'disabled') await removeRecord(transport, KEYS.index(capabilityId));
  const schema = contract === null ? null : JSON.stringify({ ref: contractSchemaRef, schema: JSON.parse(contract) });
  if (schema !== null) await writeOwn(transport, KEYS.contract(capabilityId), schema);
  await writeOwn(transport, KEYS.catalog(capabilityId), JSON.stringify(catalog));
  const { wallMs } = clock.now();
  const policyVersion = await raisePolicy(transport, 'capability', wallMs);
  if (status === 'disabled') return policyVersion;
  const index = { capabilityId, eligibleAgentIds, policyVersion, updatedAt: new Date(wallMs).toISOString() };
  await writeOwn(transport, KEYS.index(capabilityId), JSON.stringify(index));
  return policyVersion;
}

async function removeRecord(transport: Transport, key: string): Promise<void> {
  const entry = await transport.get(key);
  if (entry !== null) await transport.remove(key, entry.revision);
}
