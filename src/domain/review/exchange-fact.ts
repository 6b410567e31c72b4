import { liftVerdict } from '../execution/lift-verdicts.ts';
import type { WorkVerdict } from '../order/work-verdict.ts';
import type { TaskName } from '../task/task.ts';
import type { Decision, Finding } from './feedback.ts';
import type { ReviewerTerms } from './feedback-session.ts';

/** The thing that is reviewed. */
export type ExchangeSubject =
  /** `path` is relative to the workspace. */
  | { readonly kind: 'file'; readonly path: string; readonly mediaType: string }
  | { readonly kind: 'text'; readonly content: string; readonly mediaType: string }
  /** The work of a task: its difference, with the objective and the receipt. */
  | { readonly kind: 'task'; readonly taskId: TaskName };

export interface ExchangeTerms {
  readonly subject: ExchangeSubject;
  readonly workspace: string;
  /** Names of agents; `operator` alone where a person reviews. */
  readonly reviewers: readonly string[];
  /** The terms of each reviewer for all rounds. Empty in exchanges of older Batons: the session of each reviewer decides. */
  readonly reviewerTerms: readonly ReviewerTerms[];
  /** The agent that changes the artifact; null where a person does, or nobody. */
  readonly fixer: string | null;
  /** Decides on each finding. */
  readonly decider: 'fixer' | 'person' | 'nobody';
  /** How often the reviewers are asked at most. */
  readonly roundsMax: number;
  /** A question for the reviewers; null to ask for feedback as such. */
  readonly ask: string | null;
  /** The checks of each change by the fixing agent. */
  readonly checks: readonly string[];
  /** For a review by policy: what follows when nothing is left. */
  readonly whenClean: 'person' | 'done' | null;
}

/** A finding of one reviewer, and the item of the exchange that it is. */
export interface PlacedFinding {
  readonly item: string;
  readonly finding: Finding;
}

/** The result of a change by the fixing agent. Its decisions are its own words about what it did. */
export interface Fix {
  readonly verdict: WorkVerdict | null;
  readonly message: string;
  readonly changedFiles: number;
  readonly decisions: readonly Decision[];
}

export type ExchangeEnd =
  | 'nothing-left'
  /** Every finding that is left was rejected before. */
  | 'nothing-new'
  | 'rounds-used'
  /** Nobody decides, so asking again would give the same. */
  | 'asked-once'
  | 'no-answer'
  | 'fix-failed'
  | 'stopped'
  /** A person answered the review of the task meanwhile. */
  | 'overtaken';

/** The history of an exchange in rounds. Each fact is a row before the next step begins. */
export type ExchangeFact =
  | ({ readonly kind: 'opened'; readonly at: number } & ExchangeTerms)
  | {
      readonly kind: 'asked';
      readonly round: number;
      readonly reviewer: string;
      readonly session: string;
      readonly iteration: number;
      /** The transition that brought a task to review. */
      readonly reviewSeq?: number;
    }
  | {
      readonly kind: 'answered';
      readonly round: number;
      readonly reviewer: string;
      readonly found: readonly PlacedFinding[];
      /** Null for a success. */
      readonly error: { readonly code: string; readonly message: string } | null;
      readonly at: number;
    }
  /** A person's decisions; ids are those of items. */
  | { readonly kind: 'decided'; readonly round: number; readonly by: string; readonly decisions: readonly Decision[] }
  | {
      readonly kind: 'fixing';
      readonly round: number;
      readonly taskId: TaskName;
      readonly items: readonly string[];
      /** The round of the task's order; absent where an older Baton wrote it: the newest counts. */
      readonly orderRound?: number;
    }
  | ({ readonly kind: 'fixed'; readonly round: number } & Fix)
  | {
      readonly kind: 'ended';
      readonly why: ExchangeEnd;
      readonly message: string | null;
      readonly at: number;
      readonly reviewSeq?: number;
    };

/** A fact of an older version as the kernel reads it today. */
export function liftExchangeFact(stored: object, version: number): object {
  const { signal, ...fact } = stored as { readonly kind: string; readonly signal?: unknown };
  if (version < 2 && fact.kind === 'fixed') return { ...fact, verdict: signal === null ? null : liftVerdict(signal) };
  return version < 3 && fact.kind === 'opened' ? { ...fact, reviewerTerms: [] } : stored;
}
