import {
  noCapability,
  type ReviewRecord,
  type UsedCapability,
  withSample,
} from '../../domain/federation/capability-review.ts';
import { ROUTE_FAILURES_MAX, ROUTE_FAILURES_MS } from '../../domain/federation/federation-limits.ts';
import type { ReviewClass } from '../../domain/order/failure-class.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import { insertEvent } from '../../ledger/statements/events.ts';
import {
  noteRouteFailure,
  type ReviewRow,
  selectSameReview,
  upsertReview,
} from '../../ledger/statements/federation/capability-reviews.ts';
import { selectExecution } from '../../ledger/statements/run-facts.ts';
import type { Tx } from '../../ledger/tx.ts';
import type { OrderedTask } from '../../operations/order/open-order.ts';
import type { Sender } from '../outbox.ts';
import { tellReview } from './tell-review.ts';

interface AnyTrouble {
  readonly failureClass: ReviewClass;
  /** The agent whose work it is about; empty for none. */
  readonly agent: string;
  /** One line for a person. */
  readonly detail: string;
  readonly sender: Sender;
}

/** Trouble with a capability that a person has to look at. */
export interface CapabilityTrouble extends AnyTrouble {
  readonly capability: UsedCapability;
  readonly corrIds: readonly string[];
}

/** Opens a review, or adds a sample to the open one about the same trouble (Runtime §8). The owner of the capability is told. */
export function openReview(
  tx: Tx,
  { capability, failureClass, agent, corrIds, detail, sender }: CapabilityTrouble,
): void {
  const createdAt = tx.moment.now.wallMs;
  const { capabilityId, delegationSkillVersion, executorSkillVersion, ownerNodeId: owner } = capability;
  const versions = { delegationSkillVersion, executorSkillVersion };
  const record: ReviewRecord = {
    reviewId: `rev_${tx.moment.ids.ulid()}`,
    capabilityId,
    ...versions,
    failureClass,
    sampleCorrIds: corrIds,
    createdAt: new Date(createdAt).toISOString(),
  };
  const same = selectSameReview(tx, record, agent);
  if (same !== null) {
    const more = corrIds.reduce(withSample, same.record);
    if (more === same.record) return;
    upsertReview(tx, { ...same, record: more });
    tellReview(tx, sender, { ...same, record: more });
    return;
  }
  const open = { closedAt: null, closedBy: null, note: null, published: null };
  const row: ReviewRow = { record, agent, openedBy: sender.nodeId, owner, detail, createdAt, ...open };
  upsertReview(tx, row);
  noteOpened(tx, row);
  tellReview(tx, sender, row);
}

export function noteOpened(tx: Tx, { record, agent, openedBy }: ReviewRow): void {
  const { reviewId, capabilityId, failureClass, sampleCorrIds } = record;
  const payload = { reviewId, capabilityId, failureClass, agent, corrIds: sampleCorrIds };
  insertEvent(tx, { type: 'capability.review_opened', actor: openedBy, taskId: null, payload });
}

/** The same for every capability that a task needed, or for the work of its node where it needed none. */
export function reviewTask(tx: Tx, { order }: Pick<OrderedTask, 'order'>, trouble: AnyTrouble): void {
  const { sent, taken } = selectExecution(tx, order).remote ?? {};
  const { capabilities = [], to = [] } = sent ?? {};
  const node = taken?.node ?? to[0]?.node ?? trouble.sender.nodeId;
  for (const capability of capabilities.length > 0 ? capabilities : [noCapability(node)]) {
    openReview(tx, { capability, corrIds: [sent?.corrId ?? ''], ...trouble });
  }
}

export interface FailedRoute {
  readonly sender: Sender;
  readonly code: string;
  /** The active capabilities that were asked for. */
  readonly capabilities: readonly UsedCapability[];
}

/** runtime:contracts: routes that fail repeatedly are a review of the capability. */
export const recordRouteFailure: Command<FailedRoute, { readonly isNoted: true }> = (
  tx,
  { sender, code, capabilities },
) => {
  const corrId = `corr_${tx.moment.ids.ulid()}`;
  for (const capability of capabilities) {
    const { capabilityId } = capability;
    const payload = { capabilityId, code, corrId };
    insertEvent(tx, { type: 'capability.route_failed', actor: sender.nodeId, taskId: null, payload });
    const corrIds = noteRouteFailure(tx, { capabilityId, corrId }, tx.moment.now.wallMs - ROUTE_FAILURES_MS);
    if (corrIds.length < ROUTE_FAILURES_MAX) continue;
    const detail = `${corrIds.length} routes to it failed within ${ROUTE_FAILURES_MS / 60_000} minutes: ${code}`;
    openReview(tx, { capability, failureClass: 'route_failure', agent: '', corrIds, detail, sender });
  }
  return { isNoted: true };
};
