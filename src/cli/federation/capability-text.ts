import type {
  CapabilityReviewView,
  CapabilityView,
  SkillTargetView,
} from '../../api/federation/federation-contract.ts';
import type { Capability } from '../../domain/federation/capability.ts';
import type { ReviewRecord } from '../../domain/federation/capability-review.ts';
import type { Style } from '../output/style.ts';
import { visible } from '../output/visible.ts';

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
    ...figureLines(view),
    ...reviewLines(view.reviews ?? [], style),
    ...targetLines(view.skillTargets ?? []),
  ].join('\n');
}

/** The experience of this node with it. */
function figureLines({ figures }: CapabilityView): string[] {
  if (!figures || figures.uses === 0) return [];
  const { uses, checked, accepted, etaKept, costUsd } = figures;
  const tasks = uses === 1 ? '1 task of this node' : `${uses} tasks of this node`;
  const cost = costUsd > 0 ? `; $${costUsd.toFixed(2)} in all` : '';
  return [`  ${tasks}: ${checked} checked (${share(checked, uses)}), ${etaKept} of ${accepted} in time${cost}`];
}

function share(part: number, whole: number): string {
  return `${Math.round((100 * part) / whole)} %`;
}

/** The open ones, and the number of those that were closed. */
function reviewLines(reviews: readonly CapabilityReviewView[], style: Style): string[] {
  const open = reviews.filter(({ closedAt }) => closedAt === null);
  const closed = reviews.length - open.length;
  const lines = open.map(({ record, agentId, openedBy, detail }) => {
    const { reviewId, failureClass } = record as unknown as ReviewRecord;
    const who = agentId === '' ? '' : `${visible(agentId)}, `;
    return `  ${style.open('review')} ${visible(reviewId)}  ${visible(failureClass)}: ${visible(detail)} (${who}opened by ${visible(openedBy)})`;
  });
  return closed === 0 ? lines : [...lines, `  ${closed === 1 ? '1 review is' : `${closed} reviews are`} closed`];
}

export function closedText({ record, note }: CapabilityReviewView): string {
  const { reviewId, capabilityId } = record as unknown as ReviewRecord;
  return `the review ${visible(reviewId)} of ${visible(capabilityId)} is closed${note === null ? '' : `: ${visible(note)}`}`;
}

/** The agents that the delegation skill went to, those without it by name. */
function targetLines(targets: readonly SkillTargetView[]): string[] {
  const [first] = targets;
  if (!first) return [];
  const confirmed = targets.filter(({ state }) => state === 'confirmed').length;
  const lines = [
    `  ${visible(first.skill)} ${visible(first.version)} is installed by ${confirmed} of ${targets.length} agents`,
  ];
  for (const { agentId, nodeId, state, reason, late } of targets.filter((target) => target.state !== 'confirmed')) {
    const what = state === 'refused' ? `refused: ${visible(reason ?? '')}` : late ? 'late' : state;
    lines.push(`    ${visible(agentId)} on ${visible(nodeId)}: ${what}`);
  }
  return lines;
}

export function removedText(view: CapabilityView): string {
  const { capabilityId, version } = recordOf(view);
  return `${visible(capabilityId)} ${visible(version)} is removed: nothing is routed to it any more`;
}
