import { ATTENTION_SHOWN_MAX } from '../domain/limits.ts';
import type { Report } from '../domain/order/report.ts';
import { isRefusal } from '../domain/refusal.ts';
import { describeReview, type ReviewGlance } from '../domain/review/describe-review.ts';
import type { ReviewedWork } from '../domain/review/judge-review-risk.ts';
import { planRound } from '../domain/review/plan-round.ts';
import type { AttentionFacts, TaskForPerson, WaitingReview } from '../domain/task/rank-attention.ts';
import type { Task } from '../domain/task/task.ts';
import { pathBelow, wholePath } from '../domain/work/path-text.ts';
import { selectLastMove } from '../ledger/statements/events.ts';
import { countOpenReviews, selectOpenReviews } from '../ledger/statements/federation/capability-reviews.ts';
import { selectFeedback, selectOpenFeedbacks } from '../ledger/statements/feedbacks.ts';
import { countOpenIncidents, selectOpenIncidents } from '../ledger/statements/incidents.ts';
import { selectOrder } from '../ledger/statements/orders.ts';
import { countOpenQuestions, selectOpenQuestions } from '../ledger/statements/questions.ts';
import { selectLastFact } from '../ledger/statements/run-facts.ts';
import { countAsked, countUndecided, selectUndecided } from '../ledger/statements/task-work.ts';
import { selectTask } from '../ledger/statements/tasks.ts';
import type { Reader } from '../ledger/tx.ts';
import { type FoundExchange, readExchange, readPeerReview, subjectText } from './record-exchange.ts';
import { readReturns } from './return-rounds.ts';

/** Everything in the ledger that waits for a person; `limit` of each kind. Its cost grows with what waits. */
export function readAttention(read: Reader, limit: number): AttentionFacts {
  const waiting = (status: Task['status']) => selectUndecided(read, status, limit).map((task) => waitOf(read, task));
  return {
    reviews: waiting('review').map((wait) => reviewOf(read, wait)),
    undecided: readUndecided(read, limit),
    blocked: [...waiting('blocked'), ...waiting('deadletter')],
    questions: readQuestions(read, limit),
    incidents: selectOpenIncidents(read, limit),
    overlaps: [],
    capabilities: selectOpenReviews(read, limit).map(({ record, detail, createdAt }) => ({
      id: record.reviewId,
      capabilityId: record.capabilityId,
      why: `${record.failureClass}: ${detail}`,
      since: createdAt,
    })),
  };
}

/** The open questions with the titles of their tasks. */
export function readQuestions(read: Reader, limit: number): AttentionFacts['questions'] {
  const titleOf = (taskId: string) => selectTask(read, taskId)?.title ?? '';
  return selectOpenQuestions(read, limit).map((question) => ({ question, title: titleOf(question.taskId) }));
}

/** The length of the whole queue: a blocked task with an open question counts once. */
export function countAttention(read: Reader): number {
  const tasks = countUndecided(read, 'review') + countUndecided(read, 'blocked') + countUndecided(read, 'deadletter');
  const undecided = readUndecided(read, ATTENTION_SHOWN_MAX).length + countOpenReviews(read);
  return tasks - countAsked(read) + countOpenQuestions(read) + countOpenIncidents(read) + undecided;
}

function waitOf(read: Reader, task: Task): TaskForPerson {
  const { seq, reason, cause } = selectLastMove(read, task.id);
  return { task, reason: { reason, cause }, seq, isOrdered: selectOrder(read, task.id) !== null };
}

function reviewOf(read: Reader, wait: TaskForPerson): WaitingReview {
  const { id } = wait.task;
  const work = wait.isOrdered ? readWork(read, id) : null;
  const reviews = readReviews(read, id);
  return { ...wait, work: work && { ...work, ...objectiveOf(readPeerReview(read, id), id) }, reviews };
}

/** The reviews of the work of a task so far: the points that a person made before, and what other agents found. */
export function readReviews(read: Reader, task: Task['id']): readonly ReviewGlance[] {
  const { seq } = selectLastMove(read, task);
  return [readReturns(read, task), readPeerReview(read, task)].flatMap((found) => {
    const glance = found && describeReview(found.id, found.exchange, seq);
    return glance ? [glance] : [];
  });
}

/**
 * A task that deals with findings about another artifact is about that one: its order has the words of the reviewers, and
 * these do not widen what it may change without a remark.
 */
function objectiveOf(peer: FoundExchange | null, task: Task['id']): Partial<Pick<ReviewedWork, 'objective'>> {
  const subject = peer?.exchange.subject;
  if (!peer || !subject || (subject.kind === 'task' && subject.taskId === task)) return {};
  return { objective: `Deal with the feedback on ${subjectText(peer.exchange)}` };
}

/** Exchanges whose findings wait for a person's decision. */
function readUndecided(read: Reader, limit: number): AttentionFacts['undecided'] {
  return selectOpenFeedbacks(read, limit).flatMap((id) => {
    const exchange = readExchange(read, id);
    const step = isRefusal(exchange) ? null : planRound(exchange);
    if (isRefusal(exchange) || step?.kind !== 'decide') return [];
    const { reviewers, openedAt } = exchange;
    const taskId = selectFeedback(read, id)?.taskId ?? null;
    return [{ id, taskId, subject: subjectText(exchange), reviewers, findings: step.items.length, since: openedAt }];
  });
}

/** The work of the newest order of a task, as its report has it; null for one that was given up before it was reported. */
export function readWork(read: Reader, taskId: Task['id']): ReviewedWork | null {
  const round = selectOrder(read, taskId);
  const ordered = round && selectLastFact(read, round, 'ordered');
  const reported = round && selectLastFact(read, round, 'reported');
  if (!ordered || !reported) return null;
  const { objective, workspaceRoot, outputs } = ordered.order;
  const { report } = reported;
  return {
    objective,
    outputs: outputs.flatMap(({ path }) => (path === null ? [] : [inside(workspaceRoot, path)])),
    isUnchecked: report.verdict === 'unchecked',
    message: report.message,
    checks: report.checks,
    oldTests: report.oldTests ?? null,
    files: changedFilesOf(report, workspaceRoot),
    lines: report.lines ?? null,
    violations: (report.whole ?? report).violations.map((path) => inside(workspaceRoot, path)),
  };
}

function changedFilesOf({ whole, files }: Report, workspaceRoot: string): ReviewedWork['files'] {
  return (whole?.files ?? files).flatMap(({ path, status }) =>
    status === 'unchanged' ? [] : [{ path: inside(workspaceRoot, path), status }],
  );
}

/** A path of the workspace from its root; any other path whole. */
function inside(root: string, path: string): string {
  return pathBelow(root, wholePath(root, path));
}
