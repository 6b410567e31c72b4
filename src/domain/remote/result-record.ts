import type { Provider } from '../agent/agent.ts';
import type { MadeCheck } from '../execution/check-result.ts';
import type { Fact, Outcome } from '../execution/fact.ts';
import type { ExecutedByGit, OldTests, OwnCommits, SandboxName } from '../execution/findings.ts';
import type { PrintedLine } from '../trace/trace.ts';
import type { GitChange } from '../work/git-state.ts';
import type { IgnoredChange } from '../work/ignored-files.ts';
import type { FileCounts } from '../work/point.ts';

type EndedFact = Extract<Fact, { readonly kind: 'ended' }>;

/** A run that ended before the last one of its round. */
export interface EarlierRun {
  readonly id: string;
  readonly agent: string;
  readonly startedAt: number;
  readonly endedAt: number;
}

/** A step in the story of a round: a message of the trace of a run, or a state of the files. */
export type ResultStep =
  | {
      readonly kind: 'message';
      readonly run: string;
      /** A turn or an event, as JSON, masked. */
      readonly message: string;
      /** Lines of output that came with it. */
      readonly lines: readonly PrintedLine[];
    }
  | {
      readonly kind: 'state';
      readonly run: string | null;
      readonly point: 'turn' | 'end';
      readonly turnIndex: number | null;
      readonly commit: string;
      readonly files: FileCounts;
    };

/** The round of a task as the node that ran it tells it to the one that asked for it. */
export interface ResultRecord {
  readonly version: 1;
  /** Names the parcel that the work came in. */
  readonly parcel: string;
  /** The names of task and last run there. */
  readonly task: string;
  readonly run: string;
  readonly agent: { readonly name: string; readonly provider: Provider; readonly model: string };
  readonly sandbox: SandboxName;
  readonly startedAt: number;
  /** Shadow commits; null where there was none. */
  readonly states: {
    readonly head: string | null;
    readonly before: string;
    /** After the checks before the work. */
    readonly checked: string | null;
    readonly after: string;
    /** After the checks after the work. */
    readonly verified: string | null;
    /** After a rollback. */
    readonly rolledBack: string | null;
  };
  readonly rollback: Pick<Extract<Fact, { readonly kind: 'rolled-back' }>, 'trigger' | 'files' | 'at'> | null;
  readonly ownCommits: OwnCommits | null;
  readonly checksBefore: readonly MadeCheck[];
  /** Null where the work was not checked. */
  readonly checksAfter: readonly MadeCheck[] | null;
  readonly oldTests: OldTests | null;
  readonly violations: readonly string[];
  readonly executedByGit: readonly ExecutedByGit[];
  readonly notLookedAt: readonly string[];
  readonly gitChanges: readonly GitChange[];
  readonly ignoredChanges: readonly IgnoredChange[];
  /** The end of the last run, with the spend of all. */
  readonly ended: Omit<EndedFact, 'kind' | 'runId'>;
  readonly outcome: Outcome;
  readonly earlierRuns: readonly EarlierRun[];
  readonly steps: readonly ResultStep[];
  /** Steps that were left out because there were too many: the oldest. */
  readonly leftOut: number;
}
