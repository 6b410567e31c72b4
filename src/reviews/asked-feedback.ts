import type { Sandboxes } from '../agents/sandbox/sandboxes.ts';
import type { LiveRuns } from '../dispatch/attempt/live-runs.ts';
import type { QuotaHolds } from '../dispatch/order-agent.ts';
import type { ReviewerTerms } from '../domain/review/feedback-session.ts';
import type { TaskName } from '../domain/task/task.ts';
import type { Roster } from '../orders/roster.ts';
import type { Ids } from '../platform/ids.ts';
import type { AskWorld } from './ask-agent.ts';
import type { ReadRequest } from './read-feedback-request.ts';
import type { ReviewerWorld, ShownFolder } from './reviewer-launch.ts';

/** The parts of a node that ask reviewers. */
/** The parts of a node that answer requests for feedback. */
export interface ProviderWorld extends AskWorld, ReviewerWorld {
  readonly roster: Roster;
  readonly sandboxes: Sandboxes;
  readonly live: Pick<LiveRuns, 'activities' | 'daySpend'>;
  readonly ids: Ids;
  readonly quota: Pick<QuotaHolds, 'holdOf'>;
}

/** A request for feedback, as it reaches the tool layer. */
export interface FeedbackAsk {
  readonly agent: string;
  /** Null begins a session. */
  readonly session: string | null;
  /** The Request Object. */
  readonly text: string;
  /** The folder that the reviewer may read. A session keeps the one that it began with. */
  readonly workspace: string;
  /** A folder that is shown in its place. */
  readonly shown?: ShownFolder;
  readonly timeoutSeconds?: number;
  /** Whoever asks; the operator if absent. */
  readonly by?: string;
  /** For a session that begins in an exchange, which has decided them. */
  readonly terms?: ReviewerTerms;
  /** The task that the artifact is the work of. */
  readonly taskId?: TaskName | null;
}

/** A request that was taken, while it is being answered. */
export interface Iteration extends FeedbackAsk {
  readonly session: string;
  readonly terms: ReviewerTerms;
  readonly request: Extract<ReadRequest, { readonly kind: 'request' }>;
  readonly stop: AbortController;
}
