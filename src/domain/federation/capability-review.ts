import type { ReviewClass } from '../order/failure-class.ts';
import { REVIEW_SAMPLES_MAX } from './federation-limits.ts';

/** A capability that a task needed, as it was published then. */
export interface UsedCapability {
  readonly capabilityId: string;
  readonly delegationSkillVersion: string;
  readonly executorSkillVersion: string;
  readonly ownerNodeId: string;
}

/** The id under which work that needed no capability is reviewed (Runtime §8.2). Nothing is published under it. */
export const NO_CAPABILITY = 'no-capability';

/** The record of a review names a capability and its skills; work that was asked of an agent by its name has none. */
export function noCapability(node: string): UsedCapability {
  const none = 'none';
  return {
    capabilityId: NO_CAPABILITY,
    delegationSkillVersion: none,
    executorSkillVersion: none,
    ownerNodeId: node,
  };
}

/** A review of a skill, exactly as the document has it (Runtime §8). */
export interface ReviewRecord {
  readonly reviewId: string;
  readonly capabilityId: string;
  readonly delegationSkillVersion: string;
  readonly executorSkillVersion: string;
  readonly failureClass: ReviewClass;
  readonly sampleCorrIds: readonly string[];
  /** RFC 3339 */
  readonly createdAt: string;
}

/** One more sample of the same trouble; the newest are kept. The same record if it is known. */
export function withSample(record: ReviewRecord, corrId: string): ReviewRecord {
  if (record.sampleCorrIds.includes(corrId)) return record;
  return { ...record, sampleCorrIds: [...record.sampleCorrIds, corrId].slice(-REVIEW_SAMPLES_MAX) };
}

/** A finished use of a capability by a task of this node. */
export interface CapabilityUse {
  readonly verdict: string;
  /** Null for a task that nobody accepted. */
  readonly isEtaKept: boolean | null;
  readonly costUsd: number;
}

/** The experience of this node with a capability. */
export interface CapabilityFigures {
  readonly uses: number;
  readonly checked: number;
  /** The number that were done in time, of those that somebody accepted. */
  readonly etaKept: number;
  readonly accepted: number;
  readonly costUsd: number;
}

export function figuresOf(uses: readonly CapabilityUse[]): CapabilityFigures {
  const accepted = uses.filter(({ isEtaKept }) => isEtaKept !== null);
  return {
    uses: uses.length,
    checked: uses.filter(({ verdict }) => verdict === 'checked').length,
    etaKept: accepted.filter(({ isEtaKept }) => isEtaKept).length,
    accepted: accepted.length,
    costUsd: uses.reduce((sum, { costUsd }) => sum + costUsd, 0),
  };
}
