import type { ReviewedWork } from '../domain/decisions/judge-review-risk.ts';
import type { AttentionFacts, WaitingReview, WaitingTask } from '../domain/decisions/rank-attention.ts';
import { leftItems } from '../domain/feedback-exchange.ts';
import { wholePath } from '../domain/path-text.ts';
import { isRefusal } from '../domain/refusal.ts';
import type { Report } from '../domain/report.ts';
import type { Task } from '../domain/task.ts';
import { selectLastMove } from '../ledger/statements/events.ts';
import { selectLastFeedbackOf } from '../ledger/statements/feedbacks.ts';
import { countOpenIncidents, selectOpenIncidents } from '../ledger/statements/incidents.ts';
import { selectOrder } from '../ledger/statements/orders.ts';
import { countOpenQuestions, selectOpenQuestions } from '../ledger/statements/questions.ts';
import { selectLastFact } from '../ledger/statements/run-facts.ts';
import { countAsked, countUndecided, selectUndecided } from '../ledger/statements/task-work.ts';
import { selectTask } from '../ledger/statements/tasks.ts';
import type { Reader } from '../ledger/tx.ts';
import { readExchange } from './feedback-exchange.ts';

/** Everything in the ledger that waits for a person; `limit` of each kind. Its cost grows with what waits. */
export function readAttention(read: Reader, limit: number): AttentionFacts {
  const waiting = (status: Task['status']) => selectUndecided(read, status, limit).map((task) => waitOf(read, task));
  return {
    reviews: waiting('review').map((wait) => ({
      ...wait,
      work: wait.isOrdered ? readWork(read, wait.task.id) : null,
      ...peerOf(read, wait),
    })),
    blocked: [...waiting('blocked'), ...waiting('deadletter')],
    questions: readQuestions(read, limit),
    incidents: selectOpenIncidents(read, limit),
    overlaps: [],
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
  return tasks - countAsked(read) + countOpenQuestions(read) + countOpenIncidents(read);
}

function waitOf(read: Reader, task: Task): WaitingTask {
  const { seq, reason, cause } = selectLastMove(read, task.id);
  return { task, reason: { reason, cause }, seq, isOrdered: selectOrder(read, task.id) !== null };
}

/** The newest review of the work by another agent, unless it was about earlier work. */
function peerOf(read: Reader, { task, seq }: WaitingTask): Pick<WaitingReview, 'peer'> {
  const id = selectLastFeedbackOf(read, task.id);
  const exchange = id === null ? null : readExchange(read, id);
  if (exchange === null || isRefusal(exchange)) return {};
  const who = exchange.reviewers.join(', ');
  if (exchange.end === null) return { peer: `${who} reviews it` };
  if (exchange.reviewSeq !== seq) return {};
  const left = leftItems(exchange);
  if (left.length > 0)
    return {
      peer: `${who}: ${left
        .map(({ finding }) => finding.aspect)
        .join(', ')
        .slice(0, PEER_CHARACTERS_MAX)} left`,
    };
  return exchange.end.why === 'nothing-left' ? { peer: `${who} finds nothing` } : {};
}

const PEER_CHARACTERS_MAX = 200;

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
    violations: report.violations.map((path) => inside(workspaceRoot, path)),
  };
}

function changedFilesOf({ files }: Report, workspaceRoot: string): ReviewedWork['files'] {
  return files.flatMap(({ path, status }) =>
    status === 'unchanged' ? [] : [{ path: inside(workspaceRoot, path), status }],
  );
}

/** A path of the workspace from its root; any other path whole. */
function inside(root: string, path: string): string {
  const whole = wholePath(root, path);
  const folder = root.replace(/\/+$/, '');
  return whole.startsWith(`${folder}/`) ? whole.slice(folder.length + 1) : whole;
}
