import { assertNever } from '../assert-never.ts';
import { isAccepted, type WorkVerdict } from '../order/work-verdict.ts';
import { OPERATOR } from '../task/decide-sender.ts';
import type { TaskName } from '../task/task.ts';
import type { ExchangeEnd, ExchangeFact, ExchangeTerms, Fix, PlacedFinding } from './exchange-fact.ts';
import type { Decision, Finding } from './feedback.ts';

export type Fate = 'open' | Decision['status'] | 'disputed';

/** A reviewer's words in a dispute. */
export interface Insistence {
  readonly reviewer: string;
  readonly text: string;
}

/** One finding over all rounds and reviewers. */
export interface ExchangeItem {
  readonly id: string;
  /** In its last wording. */
  readonly finding: Finding;
  /** The id that each reviewer gave it. */
  readonly idOf: Readonly<Record<string, string>>;
  readonly fate: Fate;
  /** Why, in words of whoever decided; all sides of a dispute. */
  readonly reason: string | null;
  /** The reviewers that gave it again after it was rejected, with their words; empty without a dispute. */
  readonly insisted: readonly Insistence[];
  readonly decision: Decision | null;
  readonly decidedBy: string | null;
  readonly decidedIn: number;
  readonly firstRound: number;
  readonly lastRound: number;
}

/** An exchange as its facts add up. */
export interface Exchange extends ExchangeTerms {
  /** 0 before the first round. */
  readonly round: number;
  /** The AFP session with each reviewer. */
  readonly sessions: Readonly<Record<string, string>>;
  /** The requests of this round, by reviewer. */
  readonly asked: Readonly<Record<string, { readonly session: string; readonly iteration: number }>>;
  readonly answers: Readonly<Record<string, { readonly error: { code: string; message: string } | null }>>;
  readonly items: readonly ExchangeItem[];
  /** A person has decided in this round. */
  readonly isDecided: boolean;
  /** The change of this round. */
  readonly fixing: {
    readonly taskId: TaskName;
    readonly items: readonly string[];
    readonly orderRound: number | null;
  } | null;
  readonly fixed: Fix | null;
  /** The task whose files have the changes of all rounds. */
  readonly fixTask: TaskName | null;
  readonly end: { readonly why: ExchangeEnd; readonly message: string | null } | null;
  /** The transition to review that the last round, or the end, was about. */
  readonly reviewSeq: number | null;
  readonly openedAt: number;
}

export function replayExchange([first, ...later]: readonly ExchangeFact[]): Exchange {
  if (first?.kind !== 'opened') throw new Error('the first fact of an exchange opens it');
  const { kind: _, at: openedAt, ...terms } = first;
  const opened: Exchange = {
    ...terms,
    round: 0,
    sessions: {},
    asked: {},
    answers: {},
    items: [],
    isDecided: false,
    fixing: null,
    fixed: null,
    fixTask: terms.subject.kind === 'task' ? terms.subject.taskId : null,
    end: null,
    reviewSeq: null,
    openedAt,
  };
  return later.reduce(takeExchangeFact, opened);
}

export function takeExchangeFact(before: Exchange, fact: ExchangeFact): Exchange {
  switch (fact.kind) {
    case 'opened':
      throw new Error('an exchange is opened once');
    case 'asked': {
      const { reviewer, session, iteration } = fact;
      const exchange = inRound(before, fact.round);
      const asked = { ...exchange.asked, [reviewer]: { session, iteration } };
      const sessions = { ...exchange.sessions, [reviewer]: session };
      return { ...exchange, asked, sessions, reviewSeq: fact.reviewSeq ?? null };
    }
    case 'answered':
      return answered(inRound(before, fact.round), fact);
    case 'decided':
      return { ...withDecisions(before, fact.decisions, fact.by), isDecided: true };
    case 'fixing': {
      const { taskId, items, orderRound = null } = fact;
      return { ...before, fixing: { taskId, items, orderRound }, fixTask: taskId };
    }
    case 'fixed': {
      const { kind: _, round: __, ...fixed } = fact;
      return { ...withDecisions(before, appliedDecisions(before, fixed), before.fixer ?? ''), fixed };
    }
    case 'ended':
      return { ...before, end: { why: fact.why, message: fact.message }, reviewSeq: fact.reviewSeq ?? null };
    default:
      return assertNever(fact);
  }
}

const OF_ROUND = { asked: {}, answers: {}, isDecided: false, fixing: null, fixed: null };

function inRound(exchange: Exchange, round: number): Exchange {
  return round === exchange.round ? exchange : { ...exchange, ...OF_ROUND, round };
}

type AnsweredFact = Extract<ExchangeFact, { readonly kind: 'answered' }>;

function answered(exchange: Exchange, { reviewer, found, error, round }: AnsweredFact): Exchange {
  const answers = { ...exchange.answers, [reviewer]: { error } };
  const items = found.reduce((all, each) => withFinding(all, each, { reviewer, round }), exchange.items);
  const next = { ...exchange, answers, items };
  return next.reviewers.every((name) => answers[name]) ? { ...next, items: settledItems(next) } : next;
}

interface FindingSource {
  readonly reviewer: string;
  readonly round: number;
}

function withFinding(items: readonly ExchangeItem[], placed: PlacedFinding, { reviewer, round }: FindingSource) {
  const { item: id, finding } = placed;
  const known = items.find((item) => item.id === id);
  const idOf = { ...known?.idOf, [reviewer]: finding.id };
  if (known === undefined) {
    const undecided = { decision: null, decidedBy: null, decidedIn: 0, insisted: [] };
    const rounds = { firstRound: round, lastRound: round };
    return [...items, { id, finding, idOf, fate: 'open' as const, reason: null, ...undecided, ...rounds }];
  }
  const again = { ...known, finding, idOf, lastRound: round, ...fateAgain(known, { reviewer, round }, finding) };
  return items.map((item) => (item.id === id ? again : item));
}

/** One that comes back after it was rejected is a disagreement, shown with the words of each side; any other is open again. */
function fateAgain(known: ExchangeItem, { reviewer, round }: FindingSource, finding: Finding) {
  const { decision, decidedBy, lastRound, fate, reason, insisted: before } = known;
  const isSecond = lastRound === round;
  if (isSecond && fate !== 'disputed') return { fate, reason, insisted: before };
  if (decision?.status !== 'rejected') return { fate: 'open' as const, reason: null, insisted: [] };
  const ours = `${decidedBy ?? 'it was'} rejected: ${reasonOf(decision) ?? 'no reason given'}`;
  const insisted = [...(isSecond ? before : []), { reviewer, text: finding.description }];
  const theirs = insisted.map(({ reviewer: who, text }) => `${who}: ${text}`);
  return { fate: 'disputed' as const, reason: [ours, ...theirs].join(' | '), insisted };
}

/** Findings that nobody who gave them gives any more are settled, as decided. */
function settledItems({ items, answers, round }: Exchange): readonly ExchangeItem[] {
  return items.map((item) => {
    const isOpen = item.fate === 'open' || item.fate === 'disputed';
    const isAnswered = Object.keys(item.idOf).every((reviewer) => answers[reviewer]?.error === null);
    if (!isOpen || item.lastRound === round || !isAnswered) return item;
    const { decision } = item;
    const reason = (decision && reasonOf(decision)) ?? `not found again in round ${round}`;
    return { ...item, fate: decision?.status ?? 'accepted', reason };
  });
}

function withDecisions(exchange: Exchange, decisions: readonly Decision[], by: string): Exchange {
  const byItem = new Map(decisions.map((decision) => [decision.id, decision]));
  const items = exchange.items.map((item) => {
    const decision = byItem.get(item.id);
    if (decision === undefined) return item;
    const decided = { decision, decidedBy: by, decidedIn: exchange.round };
    return { ...item, ...decided, fate: decision.status, reason: reasonOf(decision) };
  });
  return { ...exchange, items };
}

/** A change that failed its checks applied nothing; its reasons for leaving a finding out still count. */
function appliedDecisions({ fixing }: Exchange, { verdict, decisions }: Fix): readonly Decision[] {
  const own = decisions.filter(({ id }) => fixing?.items.includes(id));
  return hasFailed(verdict) ? own.filter(({ status }) => status === 'rejected') : own;
}

export function hasFailed(verdict: WorkVerdict | null): boolean {
  return verdict === null || !isAccepted(verdict);
}

/** Why it was decided so; null where nobody said. */
export function reasonOf({ reasonCode, explanation }: Decision): string | null {
  const words = [reasonCode, explanation].filter((text) => text !== null && text !== '');
  return words.length === 0 ? null : words.join(': ');
}

/** A person reviews: no agent has this name. */
export function isByPerson({ reviewers }: Pick<Exchange, 'reviewers'>): boolean {
  return reviewers.includes(OPERATOR);
}

/** The findings that nobody has settled. */
export function leftItems({ items }: Pick<Exchange, 'items'>): readonly ExchangeItem[] {
  return items.filter(({ fate }) => fate === 'open' || fate === 'disputed');
}

/** The decisions of the round before, by the ids that the reviewer knows. */
export function decisionsFor({ items, round }: Exchange, reviewer: string): readonly Decision[] {
  return items.flatMap(({ idOf, decision, decidedIn }) => {
    const id = idOf[reviewer];
    return id !== undefined && decision !== null && decidedIn === round ? [{ ...decision, id }] : [];
  });
}
