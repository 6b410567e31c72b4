import type { CapabilityView } from '../../../src/api/federation/federation-contract.ts';
import { durationText, shortened } from '../../parts/format.ts';

/** A capability in the words of a table. Another node wrote its record: every text of it has an end. */
export interface CapabilityFacts {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly status: string;
  readonly agent: string;
  readonly node: string;
  readonly eta: string;
  readonly skill: string;
  readonly eligible: number;
}

const TEXT_CHARACTERS_MAX = 60;

export function factsOf({ catalog, eligibleAgentIds }: CapabilityView): CapabilityFacts {
  const skill = catalog.executorSkillRef as { readonly name?: unknown; readonly version?: unknown } | undefined;
  const eta = catalog.defaultEtaSeconds;
  return {
    id: wordOf(catalog.capabilityId),
    name: wordOf(catalog.name),
    version: wordOf(catalog.version),
    status: wordOf(catalog.status),
    agent: wordOf(catalog.ownerAgentId),
    node: wordOf(catalog.ownerNodeId),
    eta: typeof eta === 'number' && eta >= 0 && Number.isFinite(eta) ? durationText(eta * 1_000) : '',
    skill: [wordOf(skill?.name), wordOf(skill?.version)].filter((word) => word !== '').join(' '),
    eligible: eligibleAgentIds.length,
  };
}

function wordOf(value: unknown): string {
  return typeof value === 'string' ? shortened(value, TEXT_CHARACTERS_MAX) : '';
}
