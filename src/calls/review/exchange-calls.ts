import type { Calls, RequestOf } from '../../api/node-client.ts';
import type { FeedbackItemView, FeedbackLine, FeedbackView, RoundView } from '../../api/review/feedback-contract.ts';
import { FEEDBACKS_SHOWN_MAX } from '../../domain/limits.ts';
import { SIGNALS } from '../../domain/order/record-words.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { reviewState } from '../../domain/review/describe-review.ts';
import type { ExchangeFact } from '../../domain/review/exchange-fact.ts';
import {
  type Exchange,
  type ExchangeItem,
  isByPerson,
  reasonOf,
  replayExchange,
  takeExchangeFact,
} from '../../domain/review/feedback-exchange.ts';
import { planRound } from '../../domain/review/plan-round.ts';
import { maskWritten } from '../../domain/secrets/mask-written.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { selectExchangeFacts, selectFeedbacksOf } from '../../ledger/statements/feedbacks.ts';
import type { Reader } from '../../ledger/tx.ts';
import { findTask } from '../../operations/task/find-task.ts';
import type { ExchangeRequest } from '../../reviews/begin-exchange.ts';
import type { ExchangeRunner } from '../../reviews/exchange-runner.ts';
import { decideExchange, readExchange, subjectText } from '../../reviews/record-exchange.ts';
import { readFeedbackSession } from '../../reviews/record-feedback-session.ts';
import type { TaskReviews } from '../../reviews/task-reviews.ts';

export interface ExchangeParts {
  readonly ledger: Ledger;
  /** Loaded with the first request. */
  exchanges(): Promise<ExchangeRunner>;
  reviews(): Promise<TaskReviews>;
}

type Names =
  | 'beginFeedback'
  | 'beginReview'
  | 'listFeedback'
  | 'showFeedback'
  | 'carryFeedback'
  | 'decideFeedback'
  | 'stopFeedback';

const ROUNDS_USUAL = 3;

/** Feedback in rounds for callers of a node. */
export function exchangeCalls({ ledger, exchanges, reviews }: ExchangeParts): Pick<Calls, Names> {
  const about = async (id: string, call: (runner: ExchangeRunner) => Promise<Refusal | null>) => {
    const found = readExchange(ledger.read, id);
    if (isRefusal(found)) return found;
    return (await call(await exchanges())) ?? { feedback: id };
  };
  return {
    beginFeedback: async (request) => {
      const begun = await (await exchanges()).begin(requested(request));
      return isRefusal(begun) ? begun : { feedback: begun.id };
    },
    beginReview: async ({ task: reference }) => {
      const task = findTask(ledger.read, reference);
      if (isRefusal(task)) return task;
      const { feedback, reason } = await (await reviews()).begin(task.id);
      return { task: task.id, feedback, reason };
    },
    listFeedback: async ({ task: reference }) => {
      const task = findTask(ledger.read, reference);
      if (isRefusal(task)) return task;
      const ids = selectFeedbacksOf(ledger.read, task.id, FEEDBACKS_SHOWN_MAX);
      return { feedbacks: ids.map((id) => lineOf(viewExchange(ledger.read, id))) };
    },
    showFeedback: async ({ feedback: id, after }) => {
      const found = readExchange(ledger.read, id);
      if (isRefusal(found)) return found;
      const count = () => selectExchangeFacts(ledger.read, id).length;
      if (after !== undefined && found.end === null) await (await exchanges()).changed(() => count() > after);
      return viewExchange(ledger.read, id);
    },
    carryFeedback: ({ feedback }) =>
      about(feedback, async (runner) => {
        runner.carry(feedback);
        return null;
      }),
    decideFeedback: ({ feedback, round, decisions: given }) =>
      about(feedback, async (runner) => {
        const decisions = given.map(({ explanation = null, ...each }) => ({ ...each, explanation, reasonCode: null }));
        const kept = await ledger.submit(decideExchange, { id: feedback, round, decisions });
        runner.carry(feedback);
        return isRefusal(kept) ? kept : null;
      }),
    stopFeedback: ({ feedback }) => about(feedback, (runner) => runner.end(feedback)),
  };
}

function requested(request: RequestOf<'beginFeedback'>): ExchangeRequest {
  const { from, fix, decide, rounds = ROUNDS_USUAL, ask, checks = [], ...subject } = request;
  const decider = decide ?? (fix === undefined ? 'nobody' : 'fixer');
  return {
    ...subject,
    reviewers: from,
    fixer: fix ?? null,
    decider,
    roundsMax: rounds,
    ask: ask ?? null,
    checks,
  };
}

function viewExchange(read: Reader, id: string): FeedbackView {
  const facts = selectExchangeFacts(read, id);
  const exchange = replayExchange(facts);
  const { reviewers, fixer, roundsMax, items, fixTask, end, subject } = exchange;
  const step = planRound(exchange);
  return {
    feedback: id,
    subject: subjectText(exchange),
    state: reviewState(exchange),
    isByPerson: isByPerson(exchange),
    reviewers,
    fixer,
    round: step.kind === 'ask' ? step.round : exchange.round,
    roundsMax,
    rounds: roundsOf(facts).map(viewRound),
    items: items.map(viewItem),
    undecided: step.kind === 'decide' ? step.items.map((item) => item.id) : [],
    fixTask: subject.kind === 'task' && exchange.fixing === null ? subject.taskId : fixTask,
    response: lastResponse(read, exchange),
    end,
    facts: facts.length,
  };
}

/** For a list: without the answers in full, and without the state of every finding in every round. */
function lineOf({ response: _, rounds, ...view }: FeedbackView): FeedbackLine {
  return { ...view, rounds: rounds.map(({ items: __, ...round }) => round) };
}

function viewRound({ round, reviewers, asked, answers, items, fixing, fixed }: Exchange): RoundView {
  return {
    round,
    answers: reviewers.flatMap((reviewer) => {
      const answer = answers[reviewer];
      if (!answer) return [];
      const findings = items.filter(
        ({ idOf, lastRound }) => lastRound === round && idOf[reviewer] !== undefined,
      ).length;
      const { session = null, iteration = null } = asked[reviewer] ?? {};
      return [{ reviewer, session, iteration, findings, error: answer.error }];
    }),
    items: items.map(viewItem),
    fix: fixing && {
      task: fixing.taskId,
      signal: fixed?.verdict ? SIGNALS[fixed.verdict] : null,
      message: fixed?.message ?? null,
    },
  };
}

function viewItem(item: ExchangeItem): FeedbackItemView {
  const { id, finding, idOf, fate, reason, firstRound, lastRound, decision, decidedBy, insisted } = item;
  const { aspect, description, recommendation } = finding;
  const masked = (text: string | null) => text && maskWritten(text);
  return {
    id,
    aspect: maskWritten(aspect),
    description: maskWritten(description),
    recommendation: maskWritten(recommendation),
    foundBy: Object.keys(idOf),
    fate,
    reason: masked(reason),
    firstRound,
    lastRound,
    decided: decision && { status: decision.status, by: decidedBy ?? '', reason: masked(reasonOf(decision)) },
    insisted: insisted.map(({ reviewer, text }) => ({ reviewer, text: maskWritten(text) })),
  };
}

/** The response of the reviewer that was named last, where several answered. */
function lastResponse(read: Reader, { reviewers, sessions }: Exchange): string | null {
  for (const reviewer of reviewers.toReversed()) {
    const session = sessions[reviewer];
    const found = session === undefined ? null : readFeedbackSession(read, session);
    if (found !== null && !isRefusal(found) && found.last !== null) return found.last.text;
  }
  return null;
}

/** The state of an exchange at the end of each of its rounds, oldest first; the last one may be under way. */
function roundsOf([first, ...later]: readonly ExchangeFact[]): readonly Exchange[] {
  const rounds: Exchange[] = [];
  let exchange = first ? replayExchange([first]) : null;
  for (const fact of later) {
    if (exchange === null) break;
    exchange = takeExchangeFact(exchange, fact);
    if (exchange.round > 0) rounds[exchange.round - 1] = exchange;
  }
  return rounds;
}
