import type { CapabilityView } from '../../api/federation-contract.ts';
import type { Capability } from '../../domain/capability.ts';
import type { Style } from './style.ts';
import { visible } from './visible.ts';

function recordOf({ catalog }: CapabilityView): Capability {
  return catalog as unknown as Capability;
}

/** One line of a list. */
export function capabilityText(view: CapabilityView, style: Style): string {
  const { capabilityId, version, status, ownerNodeId, name } = recordOf(view);
  const state = status === 'active' ? '' : `  ${style.open(status)}`;
  const agents = view.eligibleAgentIds.map(visible).join(', ') || 'nobody';
  const title = name === capabilityId ? '' : `  ${visible(name)}`;
  return `${style.strong(visible(capabilityId))}  ${visible(version)}  ${agents} on ${visible(ownerNodeId)}${state}${title}`;
}

/** All of one capability. */
export function publishedText(view: CapabilityView, style: Style): string {
  const record = recordOf(view);
  const { executorSkillRef: skill, delegationSkillRef: delegation, defaultEtaSeconds, contractSchemaRef } = record;
  return [
    capabilityText(view, style),
    `  skill ${visible(skill.name)} ${visible(skill.version)}, asked for by ${visible(delegation.name)} ${visible(delegation.version)}`,
    `  takes about ${defaultEtaSeconds} s; results fit ${visible(contractSchemaRef)}`,
    `  published ${visible(record.publishedAt)} by ${visible(record.publishedByAgentId)}`,
  ].join('\n');
}

export function removedText(view: CapabilityView): string {
  const { capabilityId, version } = recordOf(view);
  return `${visible(capabilityId)} ${visible(version)} is removed: nothing is routed to it any more`;
}
