import { assertNever } from '../assert-never.ts';
import { counted } from '../words/counted.ts';
import { oneLine } from '../words/one-line.ts';
import { shorten } from '../words/shorten.ts';
import { type Exchange, type Fate, isByPerson, leftItems } from './feedback-exchange.ts';
import { planRound } from './plan-round.ts';

export type ReviewState =
  | 'asking'
  /** A person decides on the findings. */
  | 'deciding'
  | 'fixing'
  /** A person returned the work, its author has dealt with the points, and the person looks again. */
  | 'waiting'
  | 'over';

/** A review of work in rounds, at a glance. */
export interface ReviewGlance {
  /** fbk_… */
  readonly feedback: string;
  readonly reviewers: readonly string[];
  readonly isByPerson: boolean;
  readonly state: ReviewState;
  readonly round: number;
  readonly roundsMax: number;
  /** The number of findings with each fate. */
  readonly fates: Readonly<Record<Fate, number>>;
  /** For people, in one line. */
  readonly text: string;
}

const TEXT_CHARACTERS_MAX = 300;
const ASPECTS_CHARACTERS_MAX = 120;

/** A review at a glance, for whoever decides on the work; null if it says nothing about the work as it is now. */
export function describeReview(feedback: string, exchange: Exchange, seq: number): ReviewGlance | null {
  const state = reviewState(exchange);
  if (state === 'over' && exchange.reviewSeq !== seq) return null;
  const text = isByPerson(exchange) ? returnText(exchange) : peerText(exchange, state);
  if (text === null) return null;
  const { reviewers, round, roundsMax } = exchange;
  return {
    feedback,
    reviewers,
    isByPerson: isByPerson(exchange),
    state,
    round: Math.max(1, round),
    roundsMax,
    fates: countFates(exchange),
    text: shorten(text, TEXT_CHARACTERS_MAX),
  };
}

export function reviewState(exchange: Exchange): ReviewState {
  const step = planRound(exchange);
  switch (step.kind) {
    case 'ask':
      return 'asking';
    case 'decide':
      return 'deciding';
    case 'fix':
    case 'await-fix':
      return 'fixing';
    case 'await-review':
      return 'waiting';
    case 'end':
    case 'rest':
      return 'over';
    default:
      return assertNever(step);
  }
}

function countFates({ items }: Pick<Exchange, 'items'>): Readonly<Record<Fate, number>> {
  const fates = { open: 0, disputed: 0, rejected: 0, partial: 0, accepted: 0 };
  for (const { fate } of items) fates[fate]++;
  return fates;
}

function peerText(exchange: Exchange, state: ReviewState): string | null {
  const { reviewers, round, roundsMax, fixer, end } = exchange;
  const who = reviewers.join(', ');
  const left = leftItems(exchange).length;
  switch (state) {
    case 'asking':
      return `${who} ${reviewers.length === 1 ? 'reviews' : 'review'} it, round ${Math.max(1, round)} of at most ${roundsMax}`;
    case 'deciding':
      return `${counted(left, 'finding')} of ${who} ${left === 1 ? 'waits' : 'wait'} for your decision`;
    case 'fixing':
    case 'waiting':
      return `${fixer ?? 'its author'} deals with ${counted(left, 'finding')} of ${who}`;
    case 'over':
      return end === null ? null : endText(exchange, end, who);
    default:
      return assertNever(state);
  }
}

function endText(exchange: Exchange, { why, message }: NonNullable<Exchange['end']>, who: string): string | null {
  if (why === 'overtaken') return null;
  if (why === 'no-answer') return `no review: ${message ?? who}`;
  if (why === 'stopped') return `its review by ${who} was stopped`;
  const told = leftText(exchange) ?? `finds nothing${settledText(exchange)}`;
  return [`${who}${told.startsWith('finds') ? ' ' : ': '}${told}`, ...(message === null ? [] : [message])].join('; ');
}

/** The findings that are left, the disputed ones first: 1 disputed (the name), 2 open (the tone, the date). */
function leftText({ items }: Exchange): string | null {
  const parts = (['disputed', 'open'] as const).flatMap((fate) => {
    const left = items.filter((item) => item.fate === fate);
    const aspects = shorten(left.map(({ finding }) => oneLine(finding.aspect)).join(', '), ASPECTS_CHARACTERS_MAX);
    return left.length === 0 ? [] : [`${left.length} ${fate} (${aspects})`];
  });
  return parts.length === 0 ? null : parts.join(', ');
}

function settledText(exchange: Exchange): string {
  const fates = countFates(exchange);
  const parts = (['accepted', 'partial', 'rejected'] as const).filter((fate) => fates[fate] > 0);
  return parts.length === 0 ? '' : ` more: ${parts.map((fate) => `${fates[fate]} ${fate}`).join(', ')}`;
}

/** The points of a person's return, once its author has dealt with them. */
function returnText({ items, fixed, fixer, round, end }: Exchange): string | null {
  if (end !== null || fixed === null) return null;
  const own = items.filter(({ lastRound }) => lastRound === round);
  const parts = (['accepted', 'partial', 'rejected'] as const).flatMap((status) => {
    const decided = own.filter((item) => item.decision?.status === status && item.decidedIn === round);
    const where = status === 'accepted' ? '' : ` (${decided.map(({ finding }) => oneLine(finding.aspect)).join(', ')})`;
    return decided.length === 0 ? [] : [`${WORDS[status]} ${decided.length}${shorten(where, ASPECTS_CHARACTERS_MAX)}`];
  });
  const silent = own.filter(({ decidedIn }) => decidedIn !== round).length;
  const all = [...parts, ...(silent === 0 ? [] : [`said nothing about ${silent}`])];
  return `of your ${counted(own.length, 'point')} ${fixer ?? 'its author'} ${all.join(', ')}`;
}

const WORDS = { accepted: 'accepted', partial: 'did a part of', rejected: 'rejected' } as const;
