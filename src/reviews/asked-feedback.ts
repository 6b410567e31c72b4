import type { RunWorld } from '../dispatch/run-world.ts';
import type { ReviewerTerms } from '../domain/review/feedback-session.ts';
import type { TaskName } from '../domain/task/task.ts';
import type { AskWorld } from './ask-agent.ts';
import type { ReadRequest } from './read-feedback-request.ts';
import type { ReviewerWorld, ShownFolder } from './reviewer-launch.ts';

/** The parts of a node that ask reviewers. */
export type ProviderWorld = AskWorld & ReviewerWorld & Pick<RunWorld, 'holdOf' | 'ids'>;

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
