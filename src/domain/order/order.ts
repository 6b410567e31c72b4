import type { Provider } from '../agent/agent.ts';
import type { Price } from '../agent/price.ts';
import type { OnQuota } from '../agent/quota.ts';
import type { SentTerms } from '../remote/sent-terms.ts';
import type { Priority } from '../task/task.ts';
import type { EntropyPolicy } from '../trace/detect-entropy.ts';
import type { Access, NetworkLevel } from './access.ts';
import type { Budget } from './budget.ts';
import type { ExecutionPolicy } from './policy.ts';

/** The parcel in which the work of another node came, and the folder of this node's data folder that has it. */
export interface UnpackedParcel {
  /** Names the parcel; the receipt repeats it. Null for a task that came without files. */
  readonly digest: string | null;
  readonly root: string;
}

export type Expects = 'exit-code-0' | 'match-found' | 'no-match' | 'file-exists';

export interface Validation {
  readonly command: string;
  readonly expects: Expects;
}

export type SnapshotStrategy = 'copy' | 'git-stash' | 'diff' | 'none';

/** The folder of the workspace that copies asked for by a path lie in, and no others (aop:snapshot-path). */
export const SNAPSHOTS_FOLDER = '.aop_snapshots';

export interface Snapshot {
  readonly strategy: SnapshotStrategy;
  /** The path that the order asks for; null stores it in the data folder. */
  readonly path: string | null;
}

/** A result that the work must produce. */
export interface ExpectedOutput {
  /** Baton checks that a FILE or DIRECTORY exists; any other type is the sender's own. */
  readonly type: string;
  readonly path: string | null;
  readonly description: string;
  readonly validation: Validation | null;
  readonly snapshot: Snapshot | null;
}

/** The reaction to a checkpoint that fails. */
export type RecoveryStrategy = 'retry' | 'abort' | 'continue' | 'skip';

export interface Checkpoint {
  readonly id: string;
  readonly description: string;
  readonly artifacts: readonly ExpectedOutput[];
  readonly validation: Validation | null;
  readonly onFailure: RecoveryStrategy;
}

export interface Phase {
  readonly id: string;
  /** Its place in the message, for refusals. The phases of an order are in the order in which they are verified. */
  readonly position: number;
  readonly label: string;
  readonly objective: string;
  readonly checkpoints: readonly Checkpoint[];
}

export type FallbackTrigger = 'timeout' | 'first-error' | 'critical-error' | 'all-errors' | 'cost-limit-exceeded';

export interface Alternative {
  readonly provider: Provider;
  readonly model: string;
  readonly trigger: FallbackTrigger;
}

export interface OrderInput {
  readonly type: string;
  readonly path: string | null;
  readonly url: string | null;
  readonly description: string;
  /** The text itself, where the order carries it. */
  readonly content: string;
  readonly isReadOnly: boolean;
}

/** The agent that an order asks for. */
export interface Target {
  readonly agentName: string;
  readonly provider: Provider;
  readonly model: string;
  readonly profile: 'fast' | 'balanced' | 'thorough' | null;
  readonly isHeadless: boolean;
  /** The versions that the agent reads according to the order; null where it does not say. */
  readonly versionsRead: readonly string[] | null;
}

/** How a worktree of the workspace is made, where the work is done in one. */
export interface WorktreeTerms {
  /** The work is done in a worktree even if the workspace is free. */
  readonly isWanted: boolean;
  /** The plan that the caller agreed to says worktree: the order starts in one if it can be made. */
  readonly isPlanned?: boolean;
  /** Commands that are run in a new worktree, and files that git ignores which are copied into it. */
  readonly setup: readonly string[];
  readonly include: readonly string[];
}

/** How work in review is reviewed by another agent first. */
export interface ReviewPolicy {
  readonly by: readonly string[];
  readonly roundsMax: number;
  /** When nothing is left. */
  readonly whenClean: 'person' | 'done';
  readonly isSameVendorAllowed: boolean;
}

/** Settings of the operator that count while an order runs, as they were when it was accepted. */
export interface OrderSettings {
  /** For a vendor's quota that is used up. */
  readonly onQuota: { readonly usual: OnQuota; readonly ofAgent: Readonly<Record<string, OnQuota>> };
  /** By model. */
  readonly prices: Readonly<Record<string, Price>>;
  /** The time that a person has to answer a question of its agent. */
  readonly questionTimeoutMs: number;
  /** Null: a person reviews. Absent in orders that are older than it: the present configuration counts. */
  readonly review?: ReviewPolicy | null;
  /** JSON Schemas of the events that its agents may add to a trace, by type. Absent in older orders: the present ones count. */
  readonly eventTypes?: Readonly<Record<string, unknown>>;
  /** The actions on a run that goes nowhere. Absent: the usual ones. */
  readonly entropy?: EntropyPolicy;
}

/** The origin of an order that Baton makes from a task. */
export const ORIGIN_BY_HAND = 'TASK';

/**
 * Everything a run needs, decided once when the order is accepted and stored as the first fact of its round. A changed
 * configuration counts for the next order.
 */
export interface Order {
  readonly sessionId: string;
  /** The sender's name for the task; Baton's own is TASK-… */
  readonly taskId: string;
  readonly parentTaskId: string | null;
  /** The way it came in: CLI for a command, API for a program, TASK for a task made by hand, or as its message says. */
  readonly origin: string;
  readonly objective: string;
  /** The kind of work, as the sender names it; absent where it does not. */
  readonly category?: string;
  readonly priority: Priority;
  readonly target: Target;
  readonly workspaceRoot: string;
  /** The branch that the sender believes to be checked out; null or absent where it does not say. */
  readonly gitBranch?: string | null;
  /** Absent for work of this node. */
  readonly parcel?: UnpackedParcel;
  readonly inputs: readonly OrderInput[];
  readonly outputs: readonly ExpectedOutput[];
  /** In the order they are verified. */
  readonly phases: readonly Phase[];
  /** Commands of --check and of the configuration: they decide about an order in plain words. */
  readonly checks: readonly string[];
  /** Check commands may use shell syntax. */
  readonly isShellAllowed: boolean;
  readonly access: Access;
  /** The paths and network that its operator allows beside the workspace; absent in orders of older Batons, which allow nothing. */
  readonly bounds?: { readonly allow: readonly string[]; readonly network: NetworkLevel };
  /** Hosts that the agent reaches under RESTRICTED, besides those of its own model. */
  readonly hosts: readonly string[];
  /** Hosts that Baton's own commands (checks, worktree setup) reach under RESTRICTED. */
  readonly checkHosts: readonly string[];
  /** The memory of each process in a sandbox; null leaves it to the machine. */
  readonly memoryBytesMax: number | null;
  readonly worktree: WorktreeTerms;
  readonly settings: OrderSettings;
  readonly budget: Budget;
  readonly policy: ExecutionPolicy;
  readonly alternatives: readonly Alternative[];
  readonly isDelegationAllowed: boolean;
  /** The order or the configuration demands bounds that only a sandbox enforces. */
  readonly isSandboxDemanded: boolean;
  /** The message failed its schema: it is run as v1, with the least rights. */
  readonly isFallback: boolean;
  /** A person's words, not a program's message; absent where that was not recorded. */
  readonly isInWords?: boolean;
  /** Another node runs it; absent for one that is run here. */
  readonly remote?: SentTerms;
}

/**
 * The sender's message, as its edge read it when the order was accepted; null for plain words. The kernel stores it and hands it
 * to the drivers unread.
 */
export type SentMessage = object | null;

/** The text that an order was read from. The kernel stores it and hands it to the edge, which alone reads it; null for plain words. */
export type Provenance = { readonly protocol: string; readonly text: string } | null;
