import '../../style/reviews.css';
import { useState } from 'preact/hooks';
import type { FeedbackItemView, FeedbackLine } from '../../../src/api/review/feedback-contract.ts';
import { stopReview } from '../../node/feedback-actions.ts';
import { ActionButton, ActionNote, useAction } from '../../parts/action.tsx';
import { counted, numberOf } from '../../parts/format.ts';
import { Verdict, type VerdictKind } from '../../parts/verdict.tsx';
import { Decisions } from './decisions.tsx';
import { FATES } from './fate.tsx';
import { FindingRow, nameOf } from './finding-row.tsx';

const SHOWN_MAX = 50;

interface CardProps {
  readonly review: FeedbackLine;
  readonly onChanged: () => void;
}

/** One review in rounds: how it stands, each round, and every finding with its fate. */
export function ReviewCard({ review, onChanged }: CardProps) {
  const { feedback, state, reviewers, isByPerson } = review;
  const action = useAction(feedback);
  const stop = async () => {
    if (await action.run(() => stopReview(feedback))) onChanged();
  };
  const isUnderWay = state === 'asking' || state === 'fixing' || state === 'deciding';
  return (
    <article class="review" aria-label={`Review by ${reviewers.map(nameOf).join(', ')}`}>
      <header>
        <h3>{isByPerson ? 'You sent it back' : `Review by ${reviewers.join(', ')}`}</h3>
        <Standing review={review} />
        <span class="space" />
        <ActionNote action={action} />
        {isUnderWay && !isByPerson && (
          <ActionButton action={action} onPress={() => void stop()}>
            Stop the review
          </ActionButton>
        )}
      </header>
      <Rounds review={review} />
      {state === 'deciding' ? <Decisions review={review} onChanged={onChanged} /> : <Findings review={review} />}
    </article>
  );
}

/** How it stands, in a sentence. */
function Standing({ review }: { readonly review: FeedbackLine }) {
  const { kind, word } = standingOf(review);
  return (
    <span role="status">
      <Verdict kind={kind} word={word} />
    </span>
  );
}

function standingOf(review: FeedbackLine): { readonly kind: VerdictKind; readonly word: string } {
  const { state, round, roundsMax, reviewers, fixer, items, undecided, end } = review;
  const left = items.filter(({ fate }) => fate === 'open' || fate === 'disputed').length;
  switch (state) {
    case 'asking':
      return { kind: 'waiting', word: `asks ${reviewers.join(', ')}, round ${round} of at most ${roundsMax}` };
    case 'fixing':
      return {
        kind: 'waiting',
        word: `${fixer ?? 'its author'} deals with ${counted(left, 'finding')}, round ${round}`,
      };
    case 'deciding':
      return { kind: 'needs-you', word: `${counted(undecided.length, 'finding')} for you to decide on` };
    case 'waiting':
      return { kind: 'needs-you', word: 'you review it next' };
    default:
      return endOf(end, left);
  }
}

const ENDS: Readonly<Record<string, string>> = {
  'nothing-new': 'left, each rejected before',
  'rounds-used': 'left, the rounds are used up',
  'asked-once': 'found',
  'fix-failed': 'left: they were not dealt with',
  stopped: 'left: it was stopped',
  overtaken: 'left: somebody answered first',
};

function endOf(end: FeedbackLine['end'], left: number): { readonly kind: VerdictKind; readonly word: string } {
  const more = end?.message ? `; ${end.message}` : '';
  if (end?.why === 'no-answer') return { kind: 'failed', word: `no answer${more}` };
  if (left === 0) {
    const isEarly = end?.why === 'stopped' || end?.why === 'overtaken';
    const word = isEarly ? (end?.why === 'stopped' ? 'stopped' : 'somebody answered first') : `nothing is left${more}`;
    return { kind: isEarly ? 'unchecked' : 'checked', word };
  }
  return { kind: 'needs-you', word: `${counted(left, 'finding')} ${ENDS[end?.why ?? ''] ?? 'left'}${more}` };
}

/** Each round: how much every reviewer found, and what the author did about it. */
function Rounds({ review: { rounds, fixer, subject } }: { readonly review: FeedbackLine }) {
  if (rounds.length === 0) return null;
  return (
    <ol class="rounds">
      {rounds.map(({ round, answers, fix }) => (
        <li key={round}>
          <span class="muted">Round {round}</span>{' '}
          {answers.map(({ reviewer, findings, error }) => (
            <span key={reviewer} class="round-answer">
              {nameOf(reviewer)}{' '}
              {error === null ? (
                findings === 0 ? (
                  'found nothing'
                ) : (
                  counted(findings, reviewer === 'operator' ? 'point' : 'finding')
                )
              ) : (
                <span class="verdict failed" title={error.message}>
                  ✗ no answer: {error.message}
                </span>
              )}
            </span>
          ))}
          {fix !== null && (
            <span class="round-fix">
              {fixer ?? 'its author'}
              {fix.task !== subject && (
                <>
                  {' in '}
                  <a href={`/tasks/${fix.task}`}>{numberOf(fix.task)}</a>
                </>
              )}
              : {fix.message ?? 'under way'}
            </span>
          )}
        </li>
      ))}
    </ol>
  );
}

function Findings({ review: { items, fixTask, state, rounds } }: { readonly review: FeedbackLine }) {
  const [isWhole, setWhole] = useState(false);
  if (items.length === 0) return rounds.length > 0 && state === 'over' ? <p class="empty good">No findings.</p> : null;
  const sorted = byFate(items);
  const shown = isWhole ? sorted : sorted.slice(0, SHOWN_MAX);
  return (
    <>
      <ul class="findings">
        {shown.map((item) => (
          <FindingRow key={item.id} item={item} task={fixTask} />
        ))}
      </ul>
      {shown.length < items.length && (
        <button type="button" class="button plain small" onClick={() => setWhole(true)}>
          {items.length - shown.length} more
        </button>
      )}
    </>
  );
}

/** Findings that a person has to look at come first. */
function byFate(items: readonly FeedbackItemView[]): readonly FeedbackItemView[] {
  return items.toSorted((a, b) => FATES.indexOf(a.fate) - FATES.indexOf(b.fate));
}
