import { OPERATOR } from '../domain/decisions/decide-sender.ts';
import { placeFindings } from '../domain/decisions/place-findings.ts';
import { planRound } from '../domain/decisions/plan-round.ts';
import type { Decision, Finding } from '../domain/feedback.ts';
import {
  type Exchange,
  type ExchangeFact,
  type ExchangeTerms,
  leftItems,
  replayExchange,
} from '../domain/feedback-exchange.ts';
import { isRefusal, type Refusal, refuse } from '../domain/refusal.ts';
import type { TaskName } from '../domain/task.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { insertEvent, selectLastMove } from '../ledger/statements/events.ts';
import {
  closeFeedback,
  type FeedbackRow,
  insertExchangeFact,
  insertFeedback,
  selectExchangeFacts,
  selectFeedback,
} from '../ledger/statements/feedbacks.ts';
import { selectTask } from '../ledger/statements/tasks.ts';
import type { Reader, Tx } from '../ledger/tx.ts';
import { moveByHand } from './move-by-hand.ts';

type FactOf<Kind extends ExchangeFact['kind']> = Extract<ExchangeFact, { readonly kind: Kind }>;

/** An exchange with its state; a refusal if there is none. */
export function readExchange(read: Reader, id: string): Exchange | Refusal {
  if (selectFeedback(read, id) === null) {
    const hint = 'baton feedback FILE --from AGENT begins one';
    return { ...refuse('session_not_found', `there is no feedback ${id}`), hint };
  }
  return replayExchange(selectExchangeFacts(read, id));
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
  const { reviewers, fixer, roundsMax: rounds } = terms;
  const payload = { feedback: id, subject, reviewers, fixer, rounds };
  insertEvent(tx, { type: 'feedback.opened', actor: OPERATOR, taskId, sessionId: id, payload });
  return { id };
};

interface OfExchange {
  readonly id: string;
}

interface Confirmation {
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
    return refuse('review_answered', `round ${round} of ${id} waits for no decision`);
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
}

/** Writes that a task changes the artifact, in the transaction that begins its round. */
export function writeFixing(tx: Tx, { id, round, taskId, items }: FixBegun): void {
  insertExchangeFact(tx, id, { kind: 'fixing', round, taskId, items });
  const payload = { feedback: id, round, task: taskId, items: items.length };
  insertEvent(tx, { type: 'feedback.fixing', actor: OPERATOR, taskId, sessionId: id, payload });
}

/** Records the result of a change by the fixing agent. */
export const recordFixed: Command<OfExchange & Omit<FactOf<'fixed'>, 'kind'>, Confirmation> = (
  tx,
  { id, ...fixed },
) => {
  const open = readOpen(tx, id);
  if (isRefusal(open)) return open;
  insertExchangeFact(tx, id, { kind: 'fixed', ...fixed });
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
  writeEnd(tx, open, { why, message });
  return { isKept: true };
};

function writeEnd(
  tx: Tx,
  { row, exchange }: OpenExchange,
  { why, message }: Pick<FactOf<'ended'>, 'why' | 'message'>,
): void {
  const { id, taskId } = row;
  closeFeedback(tx, id);
  insertExchangeFact(tx, id, { kind: 'ended', why, message, at: tx.moment.now.wallMs, ...reviewOf(tx, row) });
  const { round: rounds, items } = exchange;
  const payload = { feedback: id, why, message, rounds, items: items.length, left: leftItems(exchange).length };
  insertEvent(tx, { type: 'feedback.ended', actor: OPERATOR, taskId, sessionId: id, payload });
}

/**
 * Ends a review by policy that left nothing, and accepts the work for the reviewer: the very work that it saw, checked by Baton, and
 * never its own. Anything else waits for a person.
 */
export const endByApproval: Command<
  OfExchange & { readonly reviewer: string; readonly isChecked: boolean },
  Confirmation
> = (tx, { id, reviewer, isChecked }) => {
  const open = readOpen(tx, id);
  if (isRefusal(open)) return open;
  const { row, exchange } = open;
  const task = row.taskId === null ? null : selectTask(tx, row.taskId);
  const seq = row.taskId === null ? 0 : selectLastMove(tx, row.taskId).seq;
  const isSame = task?.status === 'review' && seq === exchange.reviewSeq;
  if (!isSame || !isChecked || task === null) {
    const message = isChecked ? null : 'the work is not checked, so a person decides';
    writeEnd(tx, open, { why: isSame ? 'nothing-left' : 'overtaken', message });
    return { isKept: true };
  }
  writeEnd(tx, open, { why: 'nothing-left', message: null });
  const payload = { seq, message: `nothing left after round ${exchange.round}`, feedback: id };
  insertEvent(tx, { type: 'review.approved', actor: reviewer, taskId: task.id, payload });
  moveByHand(tx, task, { to: 'done', actor: reviewer, reason: 'approved' });
  return { isKept: true };
};

/** Null unless somebody answered the review that the round was about. */
export function refuseOvertaken(tx: Reader, { subject, whenClean, reviewSeq }: Exchange): Refusal | null {
  if (whenClean === null || subject.kind !== 'task') return null;
  const isSame = selectTask(tx, subject.taskId)?.status === 'review';
  if (isSame && selectLastMove(tx, subject.taskId).seq === reviewSeq) return null;
  return refuse('review_answered', `somebody answered the review of ${subject.taskId} meanwhile`);
}

function reviewOf(tx: Reader, { taskId }: FeedbackRow): { readonly reviewSeq?: number } {
  return taskId === null ? {} : { reviewSeq: selectLastMove(tx, taskId).seq };
}

interface OpenExchange {
  readonly row: FeedbackRow;
  readonly exchange: Exchange;
}

function readOpen(tx: Reader, id: string): OpenExchange | Refusal {
  const row = selectFeedback(tx, id);
  const exchange = readExchange(tx, id);
  if (isRefusal(exchange)) return exchange;
  return row?.isOpen ? { row, exchange } : refuse('stale_run', `the feedback ${id} is over`);
}
