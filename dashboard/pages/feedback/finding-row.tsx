import type { ComponentChildren } from 'preact';
import type { FeedbackItemView } from '../../../src/api/review/feedback-contract.ts';
import { LongText } from '../../parts/long-text.tsx';
import { Fate } from './fate.tsx';

interface FindingProps {
  readonly item: FeedbackItemView;
  /** The task whose diff has its place; null where there is none. */
  readonly task: string | null;
  /** The buttons that decide on it. */
  readonly children?: ComponentChildren;
}

const WORDS_LINES = 6;

/** One finding over all rounds: its fate, its words, who found it, and each side of a dispute. */
export function FindingRow({ item, task, children }: FindingProps) {
  const { id, aspect, description, recommendation, foundBy, firstRound, lastRound, fate } = item;
  const rounds = firstRound === lastRound ? `round ${firstRound}` : `rounds ${firstRound} to ${lastRound}`;
  return (
    <li class={`finding ${fate}`} data-finding={id}>
      <Fate fate={fate} />
      <div class="finding-words">
        <strong>
          <Aspect aspect={aspect} task={task} />
        </strong>
        <LongText id={`finding-${id}`} text={description} lines={WORDS_LINES} />
        {recommendation !== description && (
          <div class="muted">
            <LongText id={`advice-${id}`} text={recommendation} lines={WORDS_LINES} />
          </div>
        )}
        <Sides item={item} />
        <p class="muted small" title={id}>
          found by {foundBy.map(nameOf).join(' and ')}, {rounds}
        </p>
        {children}
      </div>
    </li>
  );
}

export function nameOf(who: string): string {
  return who === 'operator' ? 'you' : who;
}

const PLACE = /^([^\s:]+)(?::\d+)?$/;
const FILE = /\/.|.\.[\w-]{1,40}$/s;

/** A file leads to its place in the diff. */
function Aspect({ aspect, task }: { readonly aspect: string; readonly task: string | null }) {
  const [, file] = PLACE.exec(aspect.trim()) ?? [];
  if (file === undefined || !FILE.test(file) || task === null) return <>{aspect}</>;
  const query = new URLSearchParams({ show: 'diff', file });
  return (
    <a class="mono" href={`/tasks/${task}?${query}`}>
      {aspect}
    </a>
  );
}

/** The decision on a finding with its reason; of a dispute the words of both sides beside each other. */
function Sides({ item: { decided, insisted, fate, reason } }: { readonly item: FeedbackItemView }) {
  if (decided === null) return reason === null ? null : <p class="muted">{reason}</p>;
  const isDispute = fate === 'disputed' && insisted.length > 0;
  return (
    <div class={isDispute ? 'sides' : ''}>
      <p>
        <span class="by">
          {nameOf(decided.by)} {decided.status}
          {decided.reason !== null && ':'}
        </span>{' '}
        {decided.reason}
      </p>
      {isDispute && (
        <div>
          {insisted.map(({ reviewer, text }) => (
            <p key={reviewer}>
              <span class="by">{nameOf(reviewer)} insists:</span> {text}
            </p>
          ))}
        </div>
      )}
    </div>
  );
}
