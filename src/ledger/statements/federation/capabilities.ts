import type { Capability } from '../../../domain/federation/capability.ts';
import type { Reader, Tuple, Tx } from '../../tx.ts';

/** A capability that this node has published, or removed: then its status is `disabled`. */
export interface CapabilityRow {
  readonly catalog: Capability;
  readonly eligibleAgentIds: readonly string[];
  /** The JSON Schema of its results, as text; null if there is none. */
  readonly contract: string | null;
  /** SHA-256 of the executor's skill at its publication. */
  readonly skillHash: string;
}

const SELECT = 'SELECT catalog, eligible, contract, skill_hash FROM capabilities';

function toRow([catalog, eligible, contract, skillHash]: Tuple): CapabilityRow {
  return {
    catalog: JSON.parse(catalog as string) as Capability,
    eligibleAgentIds: JSON.parse(eligible as string) as readonly string[],
    contract: contract as string | null,
    skillHash: skillHash as string,
  };
}

export function selectCapability(tx: Reader, capabilityId: string): CapabilityRow | null {
  const tuple = tx.tuple(`${SELECT} WHERE capability_id = ?`, capabilityId);
  return tuple ? toRow(tuple) : null;
}

export function selectCapabilities(tx: Reader): CapabilityRow[] {
  return tx.tuples(`${SELECT} ORDER BY capability_id`).map(toRow);
}

export function upsertCapability(tx: Tx, { catalog, eligibleAgentIds, contract, skillHash }: CapabilityRow): void {
  const sql = `INSERT OR REPLACE INTO capabilities (capability_id, catalog, eligible, contract, skill_hash, updated_at)
    VALUES (?, ?, ?, ?, ?, ?)`;
  const texts = [JSON.stringify(catalog), JSON.stringify(eligibleAgentIds)] as const;
  tx.write(sql, catalog.capabilityId, ...texts, contract, skillHash, tx.moment.now.wallMs);
}
