import type { OrderPlan } from '../../domain/order/order-request.ts';
import type { ReturnedItem } from '../../domain/review/review.ts';
import type { AttentionKind, ReviewRisk } from '../../domain/task/attention.ts';
import type { TaskView } from '../task/task-view.ts';

// Requests and answers about what waits for a person.

/** One entry of the attention queue. */
export interface AttentionView {
  /** For approve, return and answer. */
  readonly id: string;
  readonly kind: AttentionKind;
  /** Null for an incident that concerns no task. */
  readonly task: string | null;
  readonly title: string;
  readonly why: string;
  /** Verbs of the command line, or the options of a question. */
  readonly actions: readonly string[];
  readonly deadlineAt: string | null;
  /** The action that counts if nobody answers; null if nothing happens by itself. */
  readonly default: string | null;
  /** The gravest reason to look closely at work in review; null without any. */
  readonly risk: ReviewRisk | null;
  /** The agent or person that it belongs to: the agent of its task, the node that an incident is about, else `operator`. */
  readonly owner: string;
}

export interface AttentionList {
  /** The most pressing first. */
  readonly items: readonly AttentionView[];
  /** The number of all of them, listed or not. */
  readonly total: number;
}

/** The answer to a review, once it is recorded. */
export interface ReviewAnswer {
  readonly task: TaskView;
  readonly answer: 'approved' | 'returned';
  readonly by: string;
  readonly at: string;
  /** The numbered items of a return. */
  readonly items: readonly ReturnedItem[];
  /** How the agent continues returned work; null where Baton does not start it. */
  readonly plan: OrderPlan | null;
}
