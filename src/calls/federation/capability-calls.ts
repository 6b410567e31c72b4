import type { CapabilityList, CapabilityReviewView, CapabilityView } from '../../api/federation/federation-contract.ts';
import type { Calls, RequestOf } from '../../api/node-client.ts';
import { figuresOf } from '../../domain/federation/capability-review.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { OPERATOR } from '../../domain/task/decide-sender.ts';
import { type CatalogEntry, findCapability, listCapabilities } from '../../federation/capabilities/catalog.ts';
import {
  capabilityNotFound,
  type PublishedCapability,
  publishCapability,
  removeCapability,
} from '../../federation/capabilities/publish.ts';
import { closeReview } from '../../federation/capabilities/take-review.ts';
import type { Federation } from '../../federation/federation.ts';
import { isKey } from '../../federation/transport.ts';
import {
  type ReviewRow,
  selectCapabilityUses,
  selectReviewsOf,
} from '../../ledger/statements/federation/capability-reviews.ts';
import { selectSkillTargets } from '../../ledger/statements/federation/skills.ts';

type CapabilityCalls = Pick<
  Calls,
  'publishCapability' | 'listCapabilities' | 'showCapability' | 'removeCapability' | 'closeCapabilityReview'
>;

/** Calls the federation of this node, or refuses where it is in none. */
type Within = <Answer>(call: (federation: Federation) => Promise<Answer | Refusal>) => Promise<Answer | Refusal>;

/** Capabilities that agents of the federation offer, with their reviews. */
export function capabilityCalls(within: Within): CapabilityCalls {
  return {
    publishCapability: (request) =>
      within(async (federation) => withTargets(federation, viewed(await publishCapability(federation, request)))),
    listCapabilities: ({ all = false } = {}) => within((federation) => capabilities(federation, all)),
    showCapability: ({ capability }) => within((federation) => showCapability(federation, capability)),
    removeCapability: ({ capability }) =>
      within(async (federation) => viewed(await removeCapability(federation, capability))),
    closeCapabilityReview: (request) => within((federation) => closeOne(federation, request)),
  };
}

function viewed(entry: PublishedCapability | CatalogEntry | Refusal): CapabilityView | Refusal {
  return isRefusal(entry) ? entry : { ...entry, catalog: { ...entry.catalog } };
}

async function capabilities({ parts: { transport } }: Federation, isAll: boolean): Promise<CapabilityList> {
  const found = await listCapabilities(transport);
  const shown = found.filter(({ catalog }) => isAll || catalog.status !== 'disabled');
  return { capabilities: shown.map((entry) => ({ ...entry, catalog: { ...entry.catalog } })) };
}

async function showCapability(federation: Federation, id: string): Promise<CapabilityView | Refusal> {
  const found = isKey(id) ? await findCapability(federation.parts.transport, id) : null;
  return found === null ? capabilityNotFound(id) : withExperience(federation, withTargets(federation, viewed(found)));
}

const REVIEWS_SHOWN_MAX = 50;
/** The last uses of a capability: older ones say little about it as it is now. */
const USES_COUNTED_MAX = 1_000;

/** With the reviews that this node knows of, and its own figures. */
function withExperience({ parts: { ledger } }: Federation, view: CapabilityView | Refusal): CapabilityView | Refusal {
  if (isRefusal(view)) return view;
  const id = String(view.catalog.capabilityId);
  const reviews = selectReviewsOf(ledger.read, id, REVIEWS_SHOWN_MAX).map(viewReview);
  return { ...view, reviews, figures: figuresOf(selectCapabilityUses(ledger.read, id, USES_COUNTED_MAX)) };
}

function viewReview({ record, agent, openedBy, detail, closedAt, closedBy, note }: ReviewRow): CapabilityReviewView {
  const at = closedAt === null ? null : new Date(closedAt).toISOString();
  return { record: { ...record }, agentId: agent, openedBy, detail, closedAt: at, closedBy, note };
}

async function closeOne(
  { parts: { ledger }, sender }: Federation,
  { review: reviewId, note }: RequestOf<'closeCapabilityReview'>,
): Promise<CapabilityReviewView | Refusal> {
  const closed = await ledger.submit(closeReview, { sender, reviewId, by: OPERATOR, note: note ?? null });
  return isRefusal(closed) ? closed : viewReview(closed.review);
}

/** With the agents that its delegation skill went to, where this node published it. */
function withTargets({ parts: { ledger, clock } }: Federation, view: CapabilityView | Refusal) {
  if (isRefusal(view)) return view;
  const { wallMs } = clock.now();
  const targets = selectSkillTargets(ledger.read, String(view.catalog.capabilityId));
  if (targets.length === 0) return view;
  const skillTargets = targets.map(({ agent, node, skill, version, state, reason, requiredBy }) => {
    const late = state !== 'confirmed' && requiredBy <= wallMs;
    const at = new Date(requiredBy).toISOString();
    return { agentId: agent, nodeId: node, skill, version, state, reason, requiredBy: at, late };
  });
  return { ...view, skillTargets };
}
