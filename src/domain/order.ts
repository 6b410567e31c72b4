import type { Access } from './access.ts';
import type { Provider } from './agent.ts';
import type { Budget } from './budget.ts';
import type { ExecutionPolicy } from './policy.ts';
import type { Priority } from './task.ts';

export type Expects = 'EXIT_CODE_0' | 'MATCH_FOUND' | 'NO_MATCH' | 'FILE_EXISTS';

export interface Validation {
  readonly command: string;
  readonly expects: Expects;
}

export type SnapshotStrategy = 'COPY' | 'GIT_STASH' | 'DIFF' | 'NONE';

export interface Snapshot {
  readonly strategy: SnapshotStrategy;
  /** The path that the order names; null stores it in the data folder. */
  readonly path: string | null;
}

/** A thing the work must leave behind. */
export interface ExpectedOutput {
  /** FILE and DIRECTORY are looked for; any other word is the sender's own. */
  readonly type: string;
  readonly path: string | null;
  readonly description: string;
  readonly validation: Validation | null;
  readonly snapshot: Snapshot | null;
}

/** The reaction to a failed checkpoint. */
export type RecoveryStrategy = 'RETRY' | 'ABORT' | 'CONTINUE' | 'SKIP';

export interface Checkpoint {
  readonly id: string;
  readonly description: string;
  readonly artifacts: readonly ExpectedOutput[];
  readonly validation: Validation | null;
  readonly onFailure: RecoveryStrategy;
}

export interface Phase {
  readonly id: string;
  /** Its place in the message: phases are verified by phase_order, refusals point at where they stand. */
  readonly position: number;
  readonly label: string;
  readonly objective: string;
  readonly checkpoints: readonly Checkpoint[];
}

export type FallbackTrigger = 'TIMEOUT' | 'FIRST_ERROR' | 'CRITICAL_ERROR' | 'ALL_ERRORS' | 'COST_LIMIT_EXCEEDED';

export interface Alternative {
  readonly provider: Provider;
  readonly model: string;
  readonly trigger: FallbackTrigger;
}

export interface OrderInput {
  readonly type: string;
  readonly path: string | null;
  readonly isReadOnly: boolean;
}

export interface Target {
  readonly agentName: string;
  readonly provider: Provider;
  readonly model: string;
  readonly profile: 'fast' | 'balanced' | 'thorough' | null;
  readonly isHeadless: boolean;
  /** The AOP versions that the order's target reads; null where the order does not say. */
  readonly aopVersions: readonly string[] | null;
}

/** A decided order: every field is set, defaults included. */
export interface Order {
  readonly sessionId: string;
  /** The sender's name for the task; Baton's own is TASK-… */
  readonly taskId: string;
  readonly parentTaskId: string | null;
  readonly objective: string;
  readonly priority: Priority;
  readonly target: Target;
  readonly workspaceRoot: string;
  readonly inputs: readonly OrderInput[];
  readonly outputs: readonly ExpectedOutput[];
  /** In the order they are verified. */
  readonly phases: readonly Phase[];
  /** Commands of --check and of the configuration: for an order in plain words they are what decides. */
  readonly checks: readonly string[];
  readonly access: Access;
  readonly budget: Budget;
  readonly policy: ExecutionPolicy;
  readonly alternatives: readonly Alternative[];
  readonly isDelegationAllowed: boolean;
  /** The order itself asks for bounds that only a sandbox holds. */
  readonly isSandboxDemanded: boolean;
  /** Went on as v1, after its schema failed: run with the least rights. */
  readonly isFallback: boolean;
}
