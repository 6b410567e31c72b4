import type { Capability } from '../../domain/federation/capability.ts';
import { RECORD_SCHEMAS } from '../../protocols/runtime/schema/records.ts';
import { KEYS, readRecord } from '../records.ts';
import type { Entry, Transport } from '../transport.ts';

/** A capability as the control plane has it. */
export interface CatalogEntry {
  readonly catalog: Capability;
  /** Empty for one that was removed: its index entry is gone. */
  readonly eligibleAgentIds: readonly string[];
  readonly policyVersion: string | null;
}

/** Null where there is no record, or none that fits the document: anybody may have written it. */
function readCatalog(entry: Entry | null): Capability | null {
  if (entry === null) return null;
  const read = RECORD_SCHEMAS.catalog.safeParse(readRecord(entry.value));
  if (!read.success || KEYS.catalog(read.data.capabilityId) !== entry.key) return null;
  return JSON.parse(JSON.stringify(read.data)) as Capability;
}

export async function findCapability(transport: Transport, capabilityId: string): Promise<CatalogEntry | null> {
  const catalog = readCatalog(await transport.get(KEYS.catalog(capabilityId)));
  if (catalog === null) return null;
  return { catalog, ...readIndex(await transport.get(KEYS.index(capabilityId))) };
}

/** By id. */
export async function listCapabilities(transport: Transport): Promise<readonly CatalogEntry[]> {
  const [entries, indexes] = await Promise.all([transport.list(KEYS.catalogs), transport.list(KEYS.indexes)]);
  const indexed = new Map(indexes.map((entry) => [entry.key, entry]));
  const found = entries.flatMap((entry) => {
    const catalog = readCatalog(entry);
    return catalog === null ? [] : [{ catalog, ...readIndex(indexed.get(KEYS.index(catalog.capabilityId)) ?? null) }];
  });
  return found.sort((one, other) => (one.catalog.capabilityId < other.catalog.capabilityId ? -1 : 1));
}

function readIndex(entry: Entry | null): Omit<CatalogEntry, 'catalog'> {
  const read = entry && RECORD_SCHEMAS.index.safeParse(readRecord(entry.value));
  if (!read?.success || KEYS.index(read.data.capabilityId) !== entry?.key)
    return { eligibleAgentIds: [], policyVersion: null };
  return { eligibleAgentIds: read.data.eligibleAgentIds, policyVersion: read.data.policyVersion };
}
