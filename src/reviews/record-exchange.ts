import { FEEDBACKS_SHOWN_MAX } from '../domain/limits.ts';
import { isRefusal, type Refusal, refuse, refuseTask } from '../domain/refusal.ts';
import type { ExchangeFact, ExchangeTerms } from '../domain/review/exchange-fact.ts';
import type { Decision, Finding } from '../domain/review/feedback.ts';
import { type Exchange, isByPerson, leftItems, replayExchange } from '../domain/review/feedback-exchange.ts';
import { placeFindings } from '../domain/review/place-findings.ts';
import { planRound } from '../domain/review/plan-round.ts';
import { DISPATCHER, OPERATOR } from '../domain/task/decide-sender.ts';
import type { TaskName } from '../domain/task/task.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { insertEvent, selectLastMove } from '../ledger/statements/events.ts';
import {
  type FeedbackRow,
  insertExchangeFact,
  insertFeedback,
  selectExchangeFacts,
  selectFeedback,
  selectFeedbacksOf,
  updateFeedbackOpen,
  updateFeedbackTask,
} from '../ledger/statements/feedbacks.ts';
import type { Reader, Tx } from '../ledger/tx.ts';

type FactOf<Kind extends ExchangeFact['kind']> = Extract<ExchangeFact, { readonly kind: Kind }>;

/** An exchange with its state; a refusal if there is none. */
export function readExchange(read: Reader, id: string): Exchange | Refusal {
  if (selectFeedback(read, id) === null) {
    const hint = 'baton feedback FILE --from AGENT begins one';
    return { ...refuse('session_not_found', `there is no feedback ${id}`), hint };
  }
  return replayExchange(selectExchangeFacts(read, id));
}

/** An exchange under its id. */
export interface FoundExchange {
  readonly id: string;
  readonly exchange: Exchange;
}

/** The newest exchange in which agents reviewed the work of a task; null if there was none. */
export function readPeerReview(read: Reader, taskId: TaskName): FoundExchange | null {
  for (const id of selectFeedbacksOf(read, taskId, FEEDBACKS_SHOWN_MAX)) {
    const exchange = replayExchange(selectExchangeFacts(read, id));
    if (!isByPerson(exchange)) return { id, exchange };
  }
  return null;
}

/** The artifact in a few words. */
export function subjectText({ subject }: Pick<ExchangeTerms, 'subject'>): string {
  if (subject.kind === 'task') return subject.taskId;
  return subject.kind === 'file' ? subject.path : subject.mediaType;
}

/** Opens an exchange in rounds. */
export const openExchange: Command<ExchangeTerms, { readonly id: string }> = (tx, terms) => {
  const id = `fbk_${tx.moment.ids.ulid()}`;
  const taskId = terms.subject.kind === 'task' ? terms.subject.taskId : null;
  const subject = subjectText(terms);
  insertFeedback(tx, { id, taskId, subject });
  insertExchangeFact(tx, id, { kind: 'opened', ...terms, at: tx.moment.now.wallMs });
  // The return of a person is told by its own event.
  if (isByPerson(terms)) return { id };
  const { reviewers, fixer, roundsMax: rounds, whenClean } = terms;
  const payload = { feedback: id, subject, reviewers, fixer, rounds };
  const actor = whenClean === null ? OPERATOR : DISPATCHER;
  insertEvent(tx, { type: 'feedback.opened', actor, taskId, sessionId: id, payload });
  return { id };
};

export interface OfExchange {
  readonly id: string;
}

export interface Confirmation {
  readonly isKept: true;
}

/** Records that a reviewer was asked in its session. */
export const recordAsked: Command<OfExchange & Omit<FactOf<'asked'>, 'kind'>, Confirmation> = (
  tx,
  { id, ...asked },
) => {
  const open = readOpen(tx, id);
  if (isRefusal(open)) return open;
  insertExchangeFact(tx, id, { kind: 'asked', ...asked, ...reviewOf(tx, open.row) });
  return { isKept: true };
};

interface AnswerOfReviewer extends Pick<FactOf<'answered'>, 'round' | 'reviewer' | 'error'> {
  readonly findings: readonly Finding[];
}

/** Records the answer of a reviewer, with the item that each finding is. */
export const recordAnswer: Command<OfExchange & AnswerOfReviewer, Confirmation> = (tx, { id, findings, ...answer }) => {
  const open = readOpen(tx, id);
  if (isRefusal(open)) return open;
  const found = placeFindings(open.exchange.items, answer.reviewer, findings);
  insertExchangeFact(tx, id, { kind: 'answered', ...answer, found, at: tx.moment.now.wallMs });
  return { isKept: true };
};

interface PersonsDecisions {
  readonly id: string;
  readonly round: number;
  readonly decisions: readonly Decision[];
}

/** A person's decisions on the findings of a round. The first answer counts. */
export const decideExchange: Command<PersonsDecisions, Confirmation> = (tx, { id, round, decisions }) => {
  const open = readOpen(tx, id);
  if (isRefusal(open)) return open;
  const { exchange, row } = open;
  const step = planRound(exchange);
  if (step.kind !== 'decide' || exchange.round !== round)
    return {
      ...refuseTask('review_answered', `round ${round} of ${id} waits for no decision`, id),
      hint: 'baton review list shows what waits for you',
    };
  const asked = new Set(step.items.map((item) => item.id));
  const unknown = decisions.find((decision) => !asked.has(decision.id));
  if (unknown) return refuse('invalid_argument', `round ${round} has no open item ${unknown.id}`, '/decisions');
  insertExchangeFact(tx, id, { kind: 'decided', round, by: OPERATOR, decisions });
  const count = (status: Decision['status']) => decisions.filter((each) => each.status === status).length;
  const counts = { accepted: count('accepted'), partial: count('partial'), rejected: count('rejected') };
  const payload = { feedback: id, round, ...counts };
  insertEvent(tx, { type: 'feedback.decided', actor: OPERATOR, taskId: row.taskId, sessionId: id, payload });
  return { isKept: true };
};

interface FixBegun extends OfExchange {
  readonly round: number;
  readonly taskId: TaskName;
  readonly items: readonly string[];
  /** The round of its order. */
  readonly orderRound: number;
}

/** Writes that a task changes the artifact, in the transaction that begins its round. */
export function writeFixing(tx: Tx, { id, round, taskId, items, orderRound }: FixBegun): void {
  insertExchangeFact(tx, id, { kind: 'fixing', round, taskId, items, orderRound });
  updateFeedbackTask(tx, id, taskId);
  const exchange = replayExchange(selectExchangeFacts(tx, id));
  if (isByPerson(exchange)) return;
  const payload = { feedback: id, round, task: taskId, items: items.length };
  insertEvent(tx, { type: 'feedback.fixing', actor: DISPATCHER, taskId, sessionId: id, payload });
}

/** Records the result of a change by the fixing agent. */
export const recordFixed: Command<OfExchange & Omit<FactOf<'fixed'>, 'kind'>, Confirmation> = (
  tx,
  { id, ...fixed },
) => {
  const open = readOpen(tx, id);
  if (isRefusal(open)) return open;
  insertExchangeFact(tx, id, { kind: 'fixed', ...fixed });
  // A person looks at it next: until then no node has anything to do for it.
  if (isByPerson(open.exchange)) updateFeedbackOpen(tx, id, false);
  return { isKept: true };
};

/** Ends an exchange; the second end of one is refused. */
export const endExchange: Command<OfExchange & Pick<FactOf<'ended'>, 'why' | 'message'>, Confirmation> = (
  tx,
  facts,
) => {
  const { id, why, message } = facts;
  const open = readOpen(tx, id);
  if (isRefusal(open)) return open;
  writeEnd(tx, open.row, { why, message });
  return { isKept: true };
};

export function writeEnd(
  tx: Tx,
  row: Pick<FeedbackRow, 'id' | 'taskId'>,
  { why, message }: Pick<FactOf<'ended'>, 'why' | 'message'>,
): void {
  const { id, taskId } = row;
  updateFeedbackOpen(tx, id, false);
  insertExchangeFact(tx, id, { kind: 'ended', why, message, at: tx.moment.now.wallMs, ...reviewOf(tx, row) });
  const exchange = replayExchange(selectExchangeFacts(tx, id));
  if (isByPerson(exchange)) return;
  const { round: rounds, items } = exchange;
  const actor = why === 'stopped' ? OPERATOR : DISPATCHER;
  const payload = { feedback: id, why, message, rounds, items: items.length, left: leftItems(exchange).length };
  insertEvent(tx, { type: 'feedback.ended', actor, taskId, sessionId: id, payload });
}

function reviewOf(tx: Reader, { taskId }: Pick<FeedbackRow, 'taskId'>): { readonly reviewSeq?: number } {
  return taskId === null ? {} : { reviewSeq: selectLastMove(tx, taskId).seq };
}

interface OpenExchange {
  readonly row: FeedbackRow;
  readonly exchange: Exchange;
}

export function readOpen(tx: Reader, id: string): OpenExchange | Refusal {
  const row = selectFeedback(tx, id);
  const exchange = readExchange(tx, id);
  if (isRefusal(exchange)) return exchange;
  return row?.isOpen ? { row, exchange } : refuse('stale_run', `the feedback ${id} is over`);
}
