import type { Capability, CapabilityDraft } from '../../domain/federation/capability.ts';
import { CONTRACT_BYTES_MAX } from '../../domain/federation/federation-limits.ts';
import { judgeCapability, type PublicationFacts } from '../../domain/federation/judge-capability.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import { insertEvent } from '../../ledger/statements/events.ts';
import {
  type CapabilityRow,
  selectCapability,
  upsertCapability,
} from '../../ledger/statements/federation/capabilities.ts';
import { whyNoSchema } from '../../protocols/registered-schemas.ts';
import type { Federation } from '../federation.ts';
import type { Sender } from '../outbox.ts';
import { KEYS } from '../records.ts';
import { isKey } from '../transport.ts';
import { type CatalogEntry, findCapability } from './catalog.ts';
import { appendDistribution, type Distribution, prepareDistribution } from './distribute-skill.ts';
import { hashSkill, readSkillFiles } from './skills.ts';
import { writeCapability } from './write-capability.ts';

/** A capability to publish, with the JSON Schema of its results. */
export interface Publication extends CapabilityDraft {
  readonly contract?: unknown;
}

export interface PublishedCapability extends CatalogEntry {
  readonly warnings: readonly string[];
}

/** Publishes a capability of an agent of this node: first in the ledger, then in the control plane. */
export async function publishCapability(
  federation: Federation,
  draft: Publication,
): Promise<PublishedCapability | Refusal> {
  const given = readContract(draft.contract);
  if (isRefusal(given)) return given;
  const facts = await publicationFacts(federation, draft);
  const catalog = judgeCapability(draft, facts);
  if (isRefusal(catalog)) return catalog;
  const skillHash = hashOf(federation, catalog);
  if (isRefusal(skillHash)) return skillHash;
  const known = selectCapability(federation.parts.ledger.read, catalog.capabilityId);
  // A record that is published again need not repeat its schema.
  const contract = given ?? (known?.catalog.version === catalog.version ? known.contract : null);
  const changed = known && refuseChangedContent(known, { catalog, contract, skillHash });
  if (changed) return changed;
  const eligibleAgentIds = [...new Set([catalog.ownerAgentId, ...(draft.eligibleAgentIds ?? [])])];
  const row: CapabilityRow = { catalog, eligibleAgentIds, contract, skillHash };
  const distribution = await prepareDistribution(federation, catalog);
  const sender = federation.sender;
  const kept = await federation.parts.ledger.submit(keepCapability, { row, distribution, sender, isRemoved: false });
  if (isRefusal(kept)) return kept;
  const policyVersion = await writeCapability(federation.parts, row);
  const warnings = contract === null ? ['no schema is stored for its results, so they are not judged'] : [];
  return { catalog, eligibleAgentIds, policyVersion, warnings };
}

/** Removes the index entry at once; the catalog keeps the record as disabled (runtime:liveness). */
export async function removeCapability(federation: Federation, capabilityId: string): Promise<CatalogEntry | Refusal> {
  const { ledger, transport, nodeId } = federation.parts;
  const known = selectCapability(ledger.read, capabilityId);
  if (known === null) {
    const present = await findCapability(transport, capabilityId);
    if (present === null) return capabilityNotFound(capabilityId);
    const { ownerNodeId } = present.catalog;
    const refusal = refuse(
      'unauthorized_agent',
      `${capabilityId} was published by ${ownerNodeId}, and this is ${nodeId}`,
    );
    return { ...refusal, hint: `remove it on ${ownerNodeId}` };
  }
  const row: CapabilityRow = { ...known, catalog: { ...known.catalog, status: 'disabled' }, eligibleAgentIds: [] };
  const { sender } = federation;
  const kept = await ledger.submit(keepCapability, { row, distribution: null, sender, isRemoved: true });
  if (isRefusal(kept)) return kept;
  return { catalog: row.catalog, eligibleAgentIds: [], policyVersion: await writeCapability(federation.parts, row) };
}

export function capabilityNotFound(capabilityId: string): Refusal {
  const refusal = refuse('capability_unavailable', `nobody has published ${capabilityId}`, '/capability');
  return { ...refusal, hint: 'baton capability list shows what is published' };
}

interface CapabilityChange {
  readonly row: CapabilityRow;
  readonly isRemoved: boolean;
  readonly distribution: Distribution | null;
  readonly sender: Sender;
}

const keepCapability: Command<CapabilityChange, { readonly isKept: true }> = (
  tx,
  { row, isRemoved, distribution, sender },
) => {
  upsertCapability(tx, row);
  if (distribution) appendDistribution(tx, sender, { catalog: row.catalog, distribution });
  const { capabilityId, version, ownerAgentId, publishedByAgentId } = row.catalog;
  const type = isRemoved ? 'capability.removed' : 'capability.published';
  insertEvent(tx, {
    type,
    actor: publishedByAgentId,
    taskId: null,
    payload: { capabilityId, version, agent: ownerAgentId },
  });
  return { isKept: true };
};

async function publicationFacts(federation: Federation, draft: CapabilityDraft): Promise<PublicationFacts> {
  const { directory, parts } = federation;
  const { nodeId, transport, clock } = parts;
  const isId = isKey(KEYS.catalog(draft.capabilityId));
  const present = isId ? await findCapability(transport, draft.capabilityId) : null;
  const names = [
    draft.ownerAgentId,
    ...(draft.eligibleAgentIds ?? []),
    ...(present ? [present.catalog.ownerAgentId] : []),
  ];
  const owners = new Map<string, string | null>();
  for (const name of new Set(names)) {
    const record = await directory.agent(name);
    const node = record && (await directory.node(record.ownerNodeId));
    owners.set(name, node?.isAlive ? node.nodeId : null);
  }
  const presentNode = present && (await directory.node(present.catalog.ownerNodeId));
  return {
    nodeId,
    federation: parts.federation,
    publishedAt: new Date(clock.now().wallMs).toISOString(),
    ownerOf: (agent) => owners.get(agent) ?? null,
    skills: parts.skills(),
    present: present?.catalog ?? null,
    isPresentOwnerAlive: presentNode?.isAlive === true,
  };
}

function hashOf({ parts }: Federation, { executorSkillRef: { name, version } }: Capability): string | Refusal {
  const skill = parts.skills().find((found) => found.name === name && found.version === version);
  const files = skill ? readSkillFiles(skill.path) : 'it is gone';
  if (typeof files !== 'string') return hashSkill(files);
  return refuse('capability_unavailable', `the skill ${name} cannot be used: ${files}`, '/executorSkillRef');
}

/** A published version keeps its skill and its contract. */
function refuseChangedContent(
  known: CapabilityRow,
  row: Pick<CapabilityRow, 'catalog' | 'contract' | 'skillHash'>,
): Refusal | null {
  const { version, executorSkillRef: skill } = known.catalog;
  if (version !== row.catalog.version) return null;
  const isSkill = known.skillHash !== row.skillHash;
  if (!isSkill && known.contract === row.contract) return null;
  const message = isSkill
    ? `the skill ${skill.name} has changed since version ${version} was published`
    : `version ${version} is published with another schema of results`;
  return { ...refuse('version_incompatible', message, '/version'), hint: 'publish the change under a higher version' };
}

function readContract(schema: unknown): string | null | Refusal {
  if (schema === undefined || schema === null) return null;
  const text = JSON.stringify(schema);
  if (text.length > CONTRACT_BYTES_MAX) {
    return refuse('invalid_capability', `the schema is larger than ${CONTRACT_BYTES_MAX} bytes`, '/contract');
  }
  const why = whyNoSchema(schema);
  return why === null ? text : refuse('invalid_capability', `the schema cannot be used: ${why}`, '/contract');
}
