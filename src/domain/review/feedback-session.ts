import type { AgentFacts } from '../agent/agent.ts';
import type { OnQuota } from '../agent/quota.ts';
import { assertNever } from '../assert-never.ts';
import type { OrderSettings } from '../order/order.ts';
import {
  type ArtifactMark,
  addSpend,
  type Decision,
  type FeedbackSpend,
  type Finding,
  NOTHING_SPENT,
} from './feedback.ts';

/**
 * A reviewer and the limits of its answers, decided once when a session or an exchange begins. A changed configuration counts for
 * the next one.
 */
export interface ReviewerTerms {
  readonly agent: AgentFacts;
  /** Cap of one answer; null is no cap. */
  readonly costUsdMax: number | null;
  readonly prices: OrderSettings['prices'];
  readonly onQuota: OnQuota;
}

/** The history of a conversation between a requester and one provider. Each fact is a row before the next step begins. */
export type FeedbackSessionFact =
  | {
      readonly kind: 'opened';
      readonly agent: string;
      readonly workspace: string;
      /** Null in sessions of older Batons: their next iteration decides. */
      readonly terms: ReviewerTerms | null;
      readonly at: number;
    }
  | {
      readonly kind: 'asked';
      readonly iteration: number;
      readonly artifact: ArtifactMark;
      readonly decisions: readonly Decision[];
      /** Decided now, for a session that began without any. */
      readonly terms?: ReviewerTerms;
      readonly at: number;
    }
  /** The provider's program was started, for the first or the second try of an iteration. */
  | {
      readonly kind: 'launched';
      readonly runId: string;
      readonly pid: number | null;
      readonly startTicks: number | null;
      readonly resumed: string | null;
    }
  | { readonly kind: 'vendor-session'; readonly runId: string; readonly session: string }
  /** A try is over. */
  | { readonly kind: 'ended'; readonly runId: string; readonly spend: FeedbackSpend }
  | {
      readonly kind: 'answered';
      readonly iteration: number;
      readonly isSuccess: boolean;
      /** The Response Object, as it was sent. */
      readonly text: string;
      readonly findings: readonly Finding[];
      readonly at: number;
    }
  /** The node died, or was stopped, before the provider had answered. */
  | { readonly kind: 'lost'; readonly iteration: number; readonly at: number };

/** A fact of an older version as the kernel reads it today. */
export function liftFeedbackSessionFact(stored: object, version: number): object {
  const isUndecided = version < 3 && 'kind' in stored && stored.kind === 'opened';
  return isUndecided ? { ...stored, terms: null } : stored;
}

export interface OpenIteration {
  readonly iteration: number;
  /** The try that is under way; null before the first. */
  readonly run: { readonly runId: string; readonly pid: number | null; readonly startTicks: number | null } | null;
  readonly spend: FeedbackSpend;
  readonly askedAt: number;
  /** The session of the provider's vendor that its tries opened; null where none was reported. */
  readonly vendorSession: string | null;
}

export interface AnsweredIteration {
  readonly iteration: number;
  readonly isSuccess: boolean;
  readonly text: string;
  readonly spend: FeedbackSpend;
  readonly askedAt: number;
  readonly answeredAt: number;
}

/** A conversation between a requester and one provider, as its facts add up. */
export interface FeedbackSession {
  readonly agent: string;
  readonly workspace: string;
  /** Null until the next iteration of a session of an older Baton. */
  readonly terms: ReviewerTerms | null;
  /** The iteration that is being answered; null between two of them. */
  readonly open: OpenIteration | null;
  /** The last iteration that was answered; null before that. */
  readonly last: AnsweredIteration | null;
  /** The session of the provider's vendor with all answered iterations; null where it has none. */
  readonly vendorSession: string | null;
  /** Spend that the vendor counted in that session. */
  readonly spentInVendorSession: FeedbackSpend;
  /** Every finding that was ever given, in its last wording, oldest first. */
  readonly findings: readonly Finding[];
  /** The last decision on each finding. */
  readonly decisions: readonly Decision[];
}

export function replayFeedbackSession([first, ...later]: readonly FeedbackSessionFact[]): FeedbackSession {
  if (first?.kind !== 'opened') throw new Error('the first fact of a session opens it');
  const { agent, workspace, terms } = first;
  const opened: FeedbackSession = {
    agent,
    workspace,
    terms,
    open: null,
    last: null,
    vendorSession: null,
    spentInVendorSession: NOTHING_SPENT,
    findings: [],
    decisions: [],
  };
  return later.reduce(takeSessionFact, opened);
}

function takeSessionFact(session: FeedbackSession, fact: FeedbackSessionFact): FeedbackSession {
  const { open } = session;
  switch (fact.kind) {
    case 'opened':
      throw new Error('a session is opened once');
    case 'asked': {
      const { iteration, at: askedAt, decisions, terms = session.terms } = fact;
      const asked = { iteration, run: null, spend: NOTHING_SPENT, askedAt, vendorSession: null };
      return { ...session, terms, open: asked, decisions: byId(session.decisions, decisions) };
    }
    case 'launched': {
      const { runId, pid, startTicks } = fact;
      return { ...session, open: open && { ...open, run: { runId, pid, startTicks } } };
    }
    case 'vendor-session':
      return { ...session, open: open && { ...open, vendorSession: fact.session } };
    case 'ended':
      return { ...session, open: open && { ...open, run: null, spend: addSpend(open.spend, fact.spend) } };
    case 'answered':
      return open === null ? session : answered(session, open, fact);
    case 'lost':
      return { ...session, open: null };
    default:
      return assertNever(fact);
  }
}

type AnsweredFact = Extract<FeedbackSessionFact, { readonly kind: 'answered' }>;

function answered(session: FeedbackSession, open: OpenIteration, fact: AnsweredFact): FeedbackSession {
  const { iteration, isSuccess, text, findings, at: answeredAt } = fact;
  const { spend, askedAt, vendorSession } = open;
  const isSame = vendorSession === session.vendorSession;
  const counted = isSame ? addSpend(session.spentInVendorSession, spend) : spend;
  return {
    ...session,
    open: null,
    last: { iteration, isSuccess, text, spend, askedAt, answeredAt },
    // A session in which the provider failed may hold half of an answer.
    ...(isSuccess && vendorSession !== null && { vendorSession, spentInVendorSession: counted }),
    findings: byId(session.findings, findings),
  };
}

/** Spend that the vendor has counted in its session before the next try. */
export function spentBefore(session: FeedbackSession, vendorSession: string): FeedbackSpend {
  const { open } = session;
  const earlier = session.vendorSession === vendorSession ? session.spentInVendorSession : NOTHING_SPENT;
  return open?.vendorSession === vendorSession ? addSpend(earlier, open.spend) : earlier;
}

/** A later entry takes the place of an earlier one with its id. */
function byId<Entry extends { readonly id: string }>(
  before: readonly Entry[],
  later: readonly Entry[],
): readonly Entry[] {
  const all = new Map(before.map((entry) => [entry.id, entry]));
  for (const entry of later) all.set(entry.id, entry);
  return [...all.values()];
}

/**
 * afp:iteration: whether a request may have this iteration now; otherwise the reason. The number goes up by one; an iteration
 * that ended without a success may be asked again.
 */
export function refuseIteration(session: FeedbackSession, iteration: number): string | null {
  const { open, last } = session;
  if (open !== null) return `iteration ${open.iteration} of this session is being answered`;
  const next = (last?.iteration ?? 0) + 1;
  if (iteration === next) return null;
  if (last?.isSuccess === false && iteration === last.iteration) return null;
  return `the next iteration of this session is ${next}, not ${iteration}`;
}
