import { describeIncident } from '../federation/describe-incident.ts';
import type { ReviewGlance } from '../review/describe-review.ts';
import { judgeReviewRisk, type ReviewedWork, sizeText } from '../review/judge-review-risk.ts';
import { counted } from '../words/counted.ts';
import {
  ATTENTION_KINDS,
  type AttentionItem,
  type AttentionKind,
  attentionIdOf,
  REVIEW_RISKS,
  type ReviewRisk,
} from './attention.ts';
import type { Question } from './question.ts';
import type { Task } from './task.ts';
import { reasonSentence, type TaskReason } from './task-reason.ts';

/** A task in review, blocked or deadletter, with its last transition. */
export interface TaskForPerson {
  readonly task: Pick<Task, 'id' | 'title' | 'status' | 'lastTransitionAt'>;
  readonly reason: TaskReason;
  /** The seq of the transition that brought it there. */
  readonly seq: number;
  /** Baton ran an order of it. */
  readonly isOrdered: boolean;
}

export interface WaitingReview extends TaskForPerson {
  /** Null where Baton ran no order of it. */
  readonly work: ReviewedWork | null;
  /** The points that a person made before, and its review by other agents; absent or empty where there are none. */
  readonly reviews?: readonly ReviewGlance[];
}

/** Findings of reviewers that wait for a person's decision. */
export interface UndecidedFindings {
  /** fbk_… */
  readonly id: string;
  /** The task whose work they are about; null for any other artifact. */
  readonly taskId: Task['id'] | null;
  readonly subject: string;
  readonly reviewers: readonly string[];
  readonly findings: number;
  readonly since: number;
}

export interface OpenIncident {
  readonly id: string;
  readonly kind: string;
  readonly taskId: string | null;
  readonly detail: string;
  /** The key of its subject, where it has one. */
  readonly subject?: string | null;
  readonly openedAt: number;
}

/** Two running tasks that change the same files. */
export interface OpenOverlap {
  readonly id: string;
  readonly taskId: Task['id'];
  readonly title: string;
  readonly why: string;
  readonly actions: readonly string[];
  readonly since: number;
}

/** Everything that waits for a person, as the ledger has it. */
export interface AttentionFacts {
  readonly reviews: readonly WaitingReview[];
  readonly undecided: readonly UndecidedFindings[];
  /** Blocked, or in deadletter. */
  readonly blocked: readonly TaskForPerson[];
  readonly questions: readonly { readonly question: Question; readonly title: string }[];
  readonly incidents: readonly OpenIncident[];
  readonly overlaps: readonly OpenOverlap[];
  readonly capabilities: readonly OpenCapabilityReview[];
}

/** A review of a skill that Baton opened (Runtime §8). */
export interface OpenCapabilityReview {
  readonly id: string;
  readonly capabilityId: string;
  readonly why: string;
  readonly since: number;
}

/** The attention queue: each thing once, the most pressing first. A question about a blocked task stands for the task. */
export function rankAttention(facts: AttentionFacts): readonly AttentionItem[] {
  const asked = new Set(facts.questions.map(({ question }) => question.taskId));
  const items = [
    ...facts.questions.map(questionItem),
    ...facts.overlaps.map(overlapItem),
    ...facts.incidents.map(incidentItem),
    ...facts.undecided.map(undecidedItem),
    ...facts.reviews.map(reviewItem),
    ...facts.blocked.filter(({ task }) => !asked.has(task.id)).map(blockedItem),
    ...facts.capabilities.map(capabilityItem),
  ];
  return items
    .sort(
      ({ item: a, risks: ofA }, { item: b, risks: ofB }) =>
        rankOf(a.kind) - rankOf(b.kind) ||
        (a.deadlineAt ?? Number.POSITIVE_INFINITY) - (b.deadlineAt ?? Number.POSITIVE_INFINITY) ||
        Number(a.isUnderWay ?? false) - Number(b.isUnderWay ?? false) ||
        byRisk(ofA, ofB) ||
        a.since - b.since ||
        (a.id < b.id ? -1 : 1),
    )
    .map(({ item }) => item);
}

interface RankedItem {
  readonly item: AttentionItem;
  /** Gravest first. */
  readonly risks: readonly ReviewRisk[];
}

function rankOf(kind: AttentionKind): number {
  return ATTENTION_KINDS.indexOf(kind);
}

/** The gravest risk decides, then the next: unchecked work with weakened tests comes before unchecked work. */
function byRisk(a: readonly ReviewRisk[], b: readonly ReviewRisk[]): number {
  for (const risk of REVIEW_RISKS) {
    const difference = Number(b.includes(risk)) - Number(a.includes(risk));
    if (difference !== 0) return difference;
  }
  return 0;
}

const NOTHING = { deadlineAt: null, defaultAction: null, risk: null } as const;

function questionItem({ question, title }: AttentionFacts['questions'][number]): RankedItem {
  const { id, taskId, kind, what, why, options, defaultOption, deadlineAt, askedAt } = question;
  const item: AttentionItem = {
    id,
    kind: kind === 'budget' ? 'budget' : 'question',
    taskId,
    title,
    why: why === null ? `may it ${what}?` : `may it ${what}? why: ${why}`,
    actions: options,
    deadlineAt,
    defaultAction: defaultOption,
    risk: null,
    since: askedAt,
  };
  return { item, risks: [] };
}

function overlapItem(overlap: OpenOverlap): RankedItem {
  return { item: { ...NOTHING, ...overlap, kind: 'overlap' }, risks: [] };
}

function incidentItem(incident: OpenIncident): RankedItem {
  const { id, taskId, detail, openedAt } = incident;
  const { title, actions, node } = describeIncident(incident);
  const about = { id, kind: 'incident', taskId: taskId as AttentionItem['taskId'], title, why: detail } as const;
  return { item: { ...NOTHING, ...about, actions, node, since: openedAt }, risks: [] };
}

function undecidedItem({ id, taskId, subject, reviewers, findings, since }: UndecidedFindings): RankedItem {
  const count = counted(findings, 'finding');
  const why = `${count} of ${reviewers.join(', ')} ${findings === 1 ? 'waits' : 'wait'} for your decision`;
  const about = { id, kind: 'review', taskId, title: `Feedback on ${subject}`, why } as const;
  return { item: { ...NOTHING, ...about, actions: ['decide'], since }, risks: [] };
}

function capabilityItem({ id, capabilityId, why, since }: OpenCapabilityReview): RankedItem {
  const about = { id, kind: 'review', taskId: null, title: capabilityId, why, actions: ['close'], since } as const;
  return { item: { ...NOTHING, ...about }, risks: [] };
}

function reviewItem(review: WaitingReview): RankedItem {
  const { task, seq, work, reviews = [] } = review;
  const found = judgeReviewRisk(work);
  const item: AttentionItem = {
    ...NOTHING,
    id: attentionIdOf('review', task.id, seq),
    kind: 'review',
    taskId: task.id,
    title: task.title,
    why: [
      ...found.map(({ kind, text }) => `${kind}: ${text}`),
      ...describe(review),
      ...(review.reviews ?? []).map(({ text }) => text),
    ].join('; '),
    actions: ['approve', 'return'],
    risk: found[0]?.kind ?? null,
    ...(reviews.some(({ state }) => state === 'asking') && { isUnderWay: true }),
    since: task.lastTransitionAt,
  };
  return { item, risks: found.map(({ kind }) => kind) };
}

/** The result, and the size where no risk tells it. */
function describe({ work, reason }: WaitingReview): readonly string[] {
  if (work === null) return [reasonSentence(reason) ?? 'moved to review'];
  const { checks, isUnchecked, message } = work;
  const passed = checks.filter(({ after }) => after === 'passed').length;
  const result = isUnchecked ? [] : [checks.length === 0 ? message : `${passed} of ${checks.length} checks passed`];
  const isSized = judgeReviewRisk(work).some(({ kind }) => kind === 'large diff');
  return [...result, ...(isSized ? [] : [sizeText(work)])];
}

function blockedItem({ task, reason, seq, isOrdered }: TaskForPerson): RankedItem {
  const item: AttentionItem = {
    ...NOTHING,
    id: attentionIdOf('blocked', task.id, seq),
    kind: 'blocked',
    taskId: task.id,
    title: task.title,
    why: reasonSentence(reason) ?? `it is ${task.status}`,
    actions: isOrdered ? ['retry', 'continue', 'cancel'] : ['retry', 'cancel'],
    since: task.lastTransitionAt,
  };
  return { item, risks: [] };
}
