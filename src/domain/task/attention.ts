import { TASK_NAME_INSIDE, type TaskName } from './task.ts';

/** The kinds of things that only a person can settle, from the most to the least pressing. */
export const ATTENTION_KINDS = ['question', 'overlap', 'budget', 'incident', 'review', 'blocked'] as const;
export type AttentionKind = (typeof ATTENTION_KINDS)[number];

/** Reasons to look closely at work, from the gravest. */
export const REVIEW_RISKS = ['unchecked', 'tests weakened', 'large diff', 'outside the objective'] as const;
export type ReviewRisk = (typeof REVIEW_RISKS)[number];

/** One entry of the attention queue. */
export interface AttentionItem {
  readonly id: string;
  readonly kind: AttentionKind;
  /** Null for an incident that concerns no task, and for the review of a capability. */
  readonly taskId: TaskName | null;
  /** The title of its task, the kind of an incident without one, or the capability. */
  readonly title: string;
  /** Why a person is needed, in one line. */
  readonly why: string;
  /** The answers that settle it: verbs of the command line, or the options of a question. */
  readonly actions: readonly string[];
  /** The default counts from this instant on; null if it waits for as long as it takes. */
  readonly deadlineAt: number | null;
  /** The action that counts if nobody answers; null if nothing happens by itself. */
  readonly defaultAction: string | null;
  /** The gravest one; null for work without any, and for everything that is no review. */
  readonly risk: ReviewRisk | null;
  /** Another agent reviews it at this moment: a person may wait for that. */
  readonly isUnderWay?: boolean;
  /** The node of the federation that an incident is about; null where it is about none. */
  readonly node?: string | null;
  readonly since: number;
}

/** The id of a review or a blocked task: it names the transition that brought the task there, so it never comes back. */
export function attentionIdOf(kind: 'review' | 'blocked', taskId: TaskName, seq: number): string {
  return `${kind}_${taskId}_${seq}`;
}

const TASK_ITEM = new RegExp(`^(review|blocked)_(${TASK_NAME_INSIDE.source})_(\\d{1,15})$`);

/** The parts of such an id; null for any other text. */
export function readAttentionId(text: string): { kind: 'review' | 'blocked'; taskId: TaskName; seq: number } | null {
  const [, kind, taskId, seq] = TASK_ITEM.exec(text.trim()) ?? [];
  if (kind === undefined) return null;
  return { kind: kind as 'review' | 'blocked', taskId: taskId as TaskName, seq: Number(seq) };
}
