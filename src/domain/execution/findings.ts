import type { SnapshotStrategy } from '../order/order.ts';
import type { ClaimedResult, WorkVerdict } from '../order/work-verdict.ts';
import type { FailureCode } from '../refusal.ts';
import type { GitChange } from '../work/git-state.ts';
import type { IgnoredChange } from '../work/ignored-files.ts';

/** Why an order is stopped together with others; absent where somebody stopped it alone. */
export interface StopWhy {
  readonly code: FailureCode | null;
  readonly message: string;
  /** An agent that has answered is not ended, and its work is checked: neither costs money. */
  readonly sparesAnswer?: boolean;
}

/** An agent's own report of its work: stored as evidence, never used as the verdict. */
export interface Claim {
  readonly result: ClaimedResult | null;
  /** Null if the agent names no code of the taxonomy. */
  readonly code: FailureCode | null;
  readonly message: string;
  /** The next five are absent from claims of older ledgers; `text` still has what the agent reported. */
  readonly summary?: string;
  readonly actions?: readonly string[];
  readonly warnings?: readonly string[];
  readonly errors?: readonly string[];
  readonly estimatedCostUsd?: number | null;
  /** Fields of the agent's own, of its answer and of its summary; absent where it has none. The kernel stores them unread. */
  readonly extensions?: Readonly<Record<string, unknown>>;
  readonly summaryExtensions?: Readonly<Record<string, unknown>>;
  /** Provenance: the claim as the agent printed it. */
  readonly text: string;
}

export interface RestoredFile {
  readonly path: string;
  readonly restoredFrom: string | null;
  readonly status: 'restored' | 'failed';
}

/** A file that the run changed. */
export interface ChangedFile {
  readonly path: string;
  readonly status: 'created' | 'updated' | 'deleted';
  readonly sha256: string | null;
  readonly sizeBytes: number | null;
}

/** A file or folder that came or changed during a run, and that the user's next git command executes or obeys. */
export interface ExecutedByGit {
  /** Relative to the workspace, or absolute where it lies outside of it. */
  readonly path: string;
  readonly reason: string;
}

/** The findings of a search for what git executes; absent from facts of older ledgers. */
export interface GitSearch {
  readonly executedByGit?: readonly ExecutedByGit[];
  /** Folders that were not searched. */
  readonly notLookedAt?: readonly string[];
}

/** Changes by the work of branches, tags, HEAD, index and stash; absent from facts of older ledgers. */
export interface GitChanges {
  readonly gitChanges?: readonly GitChange[];
  /** The saved state from after the work; absent where nothing of git itself changed. */
  readonly gitState?: string;
  /** Absent where the agent made no commits that follow HEAD before the work. */
  readonly ownCommits?: OwnCommits;
}

/** Changes by the work of files that git ignores; absent from facts of older ledgers. */
export interface IgnoredFindings {
  readonly ignoredChanges?: readonly IgnoredChange[];
  /** The saved state from after the work; absent where no ignored file changed. */
  readonly ignoredState?: string;
}

/** Findings about the files of a workspace beside those that git tracks. */
export type WorkFindings = GitSearch & GitChanges & IgnoredFindings;

/** Files that changed after the node of a run had died: they count as a person's, and its shadow commit has them as before. */
export interface LaterFiles {
  readonly later?: readonly string[];
}

/**
 * Changes of a person between two runs of an order. The states from before the work get them, so that they are neither reported
 * nor undone as the agent's.
 */
export interface TheirChanges {
  /** The states from before the work with these changes; as in the fact of the snapshot. */
  readonly commit: string;
  readonly checkedCommit: string | null;
  readonly files: readonly string[];
  /** Files among them in which an earlier run had changed the same lines: an undo leaves them as the person left them. */
  readonly overlapping: readonly string[];
  /** The states of git and of ignored files; absent where an earlier run had changed something of them. */
  readonly gitState?: string;
  readonly ignoredState?: string;
}

/** Commits that the agent made itself; Baton's store has them. */
export interface OwnCommits {
  /** The last one. */
  readonly tip: string;
  readonly count: number;
}

/** Everything that git executed or obeyed before the work, for a comparison afterwards. */
export interface GitInventory {
  /** A hash of the content by path. */
  readonly marks: Readonly<Record<string, string>>;
  readonly notSeen: readonly string[];
  /** The hash of the ignore rules; null where they were not kept. */
  readonly rules: string | null;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** The folder of the work: the workspace itself, or a worktree mounted in its place. */
export type Workplace =
  | { readonly kind: 'in-place' }
  | {
      readonly kind: 'worktree';
      readonly folder: string;
      /** Folders of the user's checkout that the worktree shows for reading, such as node_modules; from the root. */
      readonly shared?: readonly string[];
      /** Absent where the work was done here. */
      readonly elsewhere?: ReceiverWork;
    };

/** The node that did the work, and its own names and judgement of it. */
export interface ReceiverWork {
  readonly node: string;
  readonly task: string;
  readonly run: string;
  readonly outcome: { readonly verdict: WorkVerdict; readonly code: FailureCode | null; readonly message: string };
}

export type SandboxName = 'bubblewrap' | 'none';

/** The checks once more, with the judging files that the work changed as they were before it. */
export interface OldTests {
  /** The changed files, from the workspace. */
  readonly files: readonly string[];
  /** The files among them that the work added. */
  readonly added?: readonly string[];
  /** `not-compared` if the checks could not be tried that way. */
  readonly result: 'passed' | 'failed' | 'not-compared';
  readonly message: string;
}

interface JudgesOfWork {
  readonly files: readonly string[];
  readonly added?: readonly string[] | undefined;
}

/** Says which files of the work judge it: `the tests it changed: a; files it added: b`. */
export function judgesText({ files, added = [] }: JudgesOfWork): string {
  const changed = files.filter((path) => !added.includes(path));
  return [
    ...(changed.length > 0 ? [`the tests it changed: ${changed.join(', ')}`] : []),
    ...(added.length > 0 ? [`the files it added: ${shortList(added)}`] : []),
  ].join('; ');
}

const ADDED_SHOWN_MAX = 10;

/** A package that an agent installed may have thousands. */
function shortList(paths: readonly string[]): string {
  const rest = paths.length - ADDED_SHOWN_MAX;
  return paths.slice(0, ADDED_SHOWN_MAX).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

/** A snapshot of a file, from which it can be restored. */
export interface KeptFile {
  readonly path: string;
  /** The path of the copy; null for a file that did not exist. */
  readonly keptAs: string | null;
  readonly strategy: SnapshotStrategy;
  readonly mode: number | null;
}

/** A configuration file of Baton; the hash is null for a missing one. */
export interface SettingsFile {
  readonly path: string;
  readonly sha256: string | null;
}

/** The end of the order that a rollback follows. */
export type RollbackTrigger = 'aborted' | 'failed';
