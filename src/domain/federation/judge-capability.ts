import { type Refusal, refuse } from '../refusal.ts';
import {
  CAPABILITY_ETA_SECONDS_DEFAULT,
  type Capability,
  type CapabilityDraft,
  compareVersions,
  isVersion,
  type SkillRef,
} from './capability.ts';
import { NO_CAPABILITY } from './capability-review.ts';
import { RUNTIME_ETA_SECONDS_MAX, RUNTIME_ETA_SECONDS_MIN } from './message-limits.ts';

/** The facts by which a publication is judged. */
export interface PublicationFacts {
  readonly nodeId: string;
  readonly federation: string;
  readonly publishedAt: string;
  /** The node that has an agent; null where nobody has it, or its node is dead. */
  ownerOf(agent: string): string | null;
  /** Skills that resolve on this node. */
  readonly skills: readonly SkillRef[];
  /** The record that the control plane has; null if the capability is new. */
  readonly present: Capability | null;
  /** The node of the present record lives. */
  readonly isPresentOwnerAlive: boolean;
}

const ID = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/;
const ID_CHARACTERS_MAX = 200;

/** The record to publish, or the reason why not (Runtime §2, runtime:refusals). */
export function judgeCapability(draft: CapabilityDraft, facts: PublicationFacts): Capability | Refusal {
  return (
    refuseFields(draft) ??
    refuseOwner(draft, facts) ??
    refuseSkill(draft, facts) ??
    refusePresent(draft, facts) ??
    recordOf(draft, facts)
  );
}

function refuseFields({ capabilityId, version, defaultEtaSeconds: eta }: CapabilityDraft): Refusal | null {
  if (!ID.test(capabilityId) || capabilityId.length > ID_CHARACTERS_MAX) {
    return refuse(
      'invalid_capability',
      'an id is letters, digits, _ and - with dots between, as cap.release.checklist',
      '/capabilityId',
    );
  }
  if (capabilityId === NO_CAPABILITY)
    return refuse(
      'invalid_capability',
      `${NO_CAPABILITY} is for reviews of work without a capability`,
      '/capabilityId',
    );
  if (!isVersion(version)) return refuse('invalid_capability', `${version} is not a version such as 1.3.0`, '/version');
  if (
    eta !== undefined &&
    !(Number.isSafeInteger(eta) && eta >= RUNTIME_ETA_SECONDS_MIN && eta <= RUNTIME_ETA_SECONDS_MAX)
  ) {
    const range = `${RUNTIME_ETA_SECONDS_MIN} to ${RUNTIME_ETA_SECONDS_MAX} seconds`;
    return refuse('invalid_capability', `an ETA is ${range}, not ${eta}`, '/defaultEtaSeconds');
  }
  return null;
}

/** Only the node of the owner can see whether the skill resolves there, so only it publishes. */
function refuseOwner(
  { ownerAgentId, ownerNodeId, eligibleAgentIds = [] }: CapabilityDraft,
  facts: PublicationFacts,
): Refusal | null {
  const { nodeId, ownerOf } = facts;
  const owner = ownerOf(ownerAgentId);
  if (owner === null) {
    return refuse(
      'owner_unavailable',
      `no active node of the federation has the agent ${ownerAgentId}`,
      '/ownerAgentId',
    );
  }
  if (owner !== nodeId || (ownerNodeId !== undefined && ownerNodeId !== nodeId)) {
    const elsewhere = owner === nodeId ? ownerNodeId : owner;
    const refusal = refuse(
      'unauthorized_agent',
      `${ownerAgentId} is on ${elsewhere}, and this is ${nodeId}`,
      '/ownerAgentId',
    );
    return { ...refusal, hint: `publish it on ${elsewhere}` };
  }
  const unknown = eligibleAgentIds.find((agent) => ownerOf(agent) === null);
  if (unknown === undefined) return null;
  return refuse('owner_unavailable', `no active node of the federation has the agent ${unknown}`, '/eligibleAgentIds');
}

function refuseSkill(
  { executorSkillRef: { name, version } }: CapabilityDraft,
  { skills }: PublicationFacts,
): Refusal | null {
  if (skills.some((skill) => skill.name === name && skill.version === version)) return null;
  const others = skills.filter((skill) => skill.name === name).map((skill) => skill.version);
  const found = others.length === 0 ? 'there is no such skill' : `it has version ${others.join(', ')}`;
  const refusal = refuse(
    'capability_unavailable',
    `the skill ${name} ${version} does not resolve on this node: ${found}`,
    '/executorSkillRef',
  );
  return {
    ...refusal,
    hint: `put it into skills/${name}/SKILL.md of the data folder, with its name and version in the front matter`,
  };
}

/** A published version never changes, and never goes back: others rely on what they read. */
function refusePresent(draft: CapabilityDraft, facts: PublicationFacts): Refusal | null {
  const { present, nodeId, ownerOf, isPresentOwnerAlive } = facts;
  if (present === null) return null;
  const isOwn = present.ownerNodeId === nodeId || ownerOf(present.ownerAgentId) === nodeId;
  if (!isOwn && (isPresentOwnerAlive || present.status !== 'disabled')) {
    const message = `${present.capabilityId} was published by ${present.ownerNodeId}`;
    const refusal = refuse('unauthorized_agent', message, '/capabilityId');
    return { ...refusal, hint: `publish it on ${present.ownerNodeId}, or remove it there first` };
  }
  const order = compareVersions(draft.version, present.version);
  if (order < 0) {
    const refusal = refuse(
      'version_incompatible',
      `version ${present.version} is published, ${draft.version} is older`,
      '/version',
    );
    return { ...refusal, hint: 'publish a higher version' };
  }
  if (order === 0 && !isSame(recordOf(draft, facts), present)) {
    const refusal = refuse(
      'version_incompatible',
      `version ${present.version} is published with other content`,
      '/version',
    );
    return { ...refusal, hint: 'publish the change under a higher version' };
  }
  return null;
}

/** Deprecating and publishing again are no changes of what a version is. */
function isSame(one: Capability, other: Capability): boolean {
  const content = ({
    status: _status,
    publishedAt: _at,
    publishedByAgentId: _by,
    ownerNodeId: _node,
    ...rest
  }: Capability) =>
    JSON.stringify(
      Object.entries(rest)
        .sort(([first], [second]) => (first < second ? -1 : 1))
        .map(([key, value]) => [key, plain(value)]),
    );
  return content(one) === content(other);
}

function plain(value: string | number | SkillRef): unknown {
  return typeof value === 'object' ? [value.name, value.version] : value;
}

function recordOf(draft: CapabilityDraft, { nodeId, federation, publishedAt }: PublicationFacts): Capability {
  const { capabilityId, version, ownerAgentId, executorSkillRef } = draft;
  return {
    capabilityId,
    name: draft.name ?? capabilityId,
    version,
    status: draft.status ?? 'active',
    ownerAgentId,
    ownerNodeId: nodeId,
    delegationSkillRef: draft.delegationSkillRef ?? executorSkillRef,
    executorSkillRef,
    contractSchemaRef: draft.contractSchemaRef ?? `schema://${federation}/${capabilityId}/${version}`,
    defaultEtaSeconds: draft.defaultEtaSeconds ?? CAPABILITY_ETA_SECONDS_DEFAULT,
    publishedAt,
    publishedByAgentId: draft.publishedByAgentId ?? ownerAgentId,
  };
}
