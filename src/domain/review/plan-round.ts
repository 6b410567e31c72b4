import type { TaskName } from '../task/task.ts';
import type { ExchangeEnd } from './exchange-fact.ts';
import { type Exchange, type ExchangeItem, hasFailed, isByPerson, leftItems } from './feedback-exchange.ts';

/** The next step of an exchange in rounds. */
export type RoundStep =
  | { readonly kind: 'ask'; readonly round: number; readonly reviewers: readonly string[] }
  /** A person decides on these. */
  | { readonly kind: 'decide'; readonly items: readonly ExchangeItem[] }
  /** The fixing agent changes the artifact. */
  | { readonly kind: 'fix'; readonly items: readonly ExchangeItem[] }
  /** Its change is under way. */
  | { readonly kind: 'await-fix'; readonly taskId: TaskName }
  /** A person who returned the work looks at it again. */
  | { readonly kind: 'await-review' }
  | { readonly kind: 'end'; readonly why: ExchangeEnd; readonly message: string | null }
  | { readonly kind: 'rest' };

/** Returns the next step for the facts so far: ask, decide, fix, and ask again until there is no use in it. */
export function planRound(exchange: Exchange): RoundStep {
  if (exchange.end !== null) return { kind: 'rest' };
  const { reviewers, answers, round } = exchange;
  const missing = reviewers.filter((reviewer) => !answers[reviewer]);
  if (isByPerson(exchange)) return awaitPerson(exchange);
  if (missing.length > 0) return { kind: 'ask', round: Math.max(round, 1), reviewers: missing };
  return endOf(exchange) ?? changeOf(exchange) ?? askAgain(exchange);
}

/** The person's next answer to the review is the next round: only it, or the end of the task, ends the exchange. */
function awaitPerson({ fixing, fixed }: Exchange): RoundStep {
  return fixing !== null && fixed === null ? { kind: 'await-fix', taskId: fixing.taskId } : { kind: 'await-review' };
}

/** Null where something is left to decide on. */
function endOf({
  reviewers,
  answers,
  items,
  round,
  roundsMax,
  decider,
  fixing,
  isDecided,
}: Exchange): RoundStep | null {
  const errors = reviewers.flatMap((name) => {
    const error = answers[name]?.error;
    return error ? [`${name}: ${error.message}`] : [];
  });
  if (errors.length === reviewers.length) return end('no-answer', errors.join('; '));
  if (fixing !== null || isDecided) return null;
  const left = leftItems({ items });
  if (left.length === 0) return end('nothing-left', errors.join('; ') || null);
  if (left.every(({ fate }) => fate === 'disputed')) return end('nothing-new');
  if (decider === 'nobody') return end('asked-once');
  // The reviewers see every change but that of an only round.
  return round >= roundsMax && round > 1 ? end('rounds-used') : null;
}

function changeOf(exchange: Exchange): RoundStep | null {
  const { decider, fixer, isDecided, fixing, fixed, items, round } = exchange;
  const open = items.filter(({ fate }) => fate === 'open');
  if (decider === 'person' && !isDecided) return { kind: 'decide', items: open };
  if (fixer === null) return null;
  if (fixing === null) {
    const agreed = items.filter(({ decision, decidedIn }) => decidedIn === round && decision?.status !== 'rejected');
    const wanted = decider === 'person' ? agreed : open;
    return wanted.length === 0 ? null : { kind: 'fix', items: wanted };
  }
  if (fixed === null) return { kind: 'await-fix', taskId: fixing.taskId };
  if (hasFailed(fixed.verdict)) return end('fix-failed', fixed.message);
  if (fixed.changedFiles > 0 || fixed.decisions.length > 0) return null;
  return end('fix-failed', `${fixer} changed nothing, and decided on nothing`);
}

function askAgain({ round, roundsMax, reviewers }: Exchange): RoundStep {
  if (round >= roundsMax) return end('rounds-used');
  return { kind: 'ask', round: round + 1, reviewers };
}

function end(why: ExchangeEnd, message: string | null = null): RoundStep {
  return { kind: 'end', why, message };
}
