import type { ComparedCheck } from '../domain/decisions/compare-checks.ts';
import type { FinalSignal } from '../domain/execution/fact.ts';
import type { TaskRequest } from './contract.ts';
import type { TaskView } from './task-view.ts';

/** What somebody wants done. */
export interface OrderRequest {
  /** An AOP TASK as JSON, AOP v1 markdown, or plain words. */
  readonly text: string;
  /** The folder that plain words are about; absolute. */
  readonly workspace: string;
  /** Who is to do it; without one the configuration's default, or the only one that is ready. */
  readonly agent?: string | null;
  readonly checks?: readonly string[];
  readonly timeoutSeconds?: number;
  readonly budgetUsd?: number;
  /** Presets of the network, beside those of the configuration. */
  readonly net?: readonly string[];
  readonly worktree?: boolean;
  readonly reviewRequired?: boolean;
}

/** What would be done: nothing of it is done by asking. */
export interface OrderPlan {
  readonly title: string;
  /** A TASK in AOP's own form: a program's order, so nobody is asked. */
  readonly isProgram: boolean;
  readonly agent: { readonly name: string; readonly driver: string; readonly provider: string; readonly model: string };
  readonly workspace: string;
  readonly git: { readonly branch: string | null; readonly head: string | null; readonly changedFiles: number } | null;
  /** Another run has the workspace: this one gets a worktree, or waits where there is no sandbox to show it in. */
  readonly workplace: 'in-place' | 'worktree' | 'waits';
  /** The task that is being worked on there. */
  readonly heldBy: string | null;
  readonly readPaths: readonly string[];
  readonly writePaths: readonly string[];
  readonly network: string;
  readonly hosts: readonly string[];
  readonly sandbox: 'bubblewrap' | 'none';
  /** Why there is no sandbox. */
  readonly sandboxMissing: string | null;
  readonly checks: readonly string[];
  /** What the repository suggests, where no check was named. */
  readonly suggestedChecks: readonly string[];
  readonly timeoutSeconds: number;
  readonly budgetUsd: number | null;
  /** Its agent has a model that is paid for by use. */
  readonly costsMoney: boolean;
  readonly warnings: readonly string[];
}

export interface OrderAnswer {
  readonly task: TaskView;
  readonly plan: OrderPlan;
}

export interface OrderReport {
  readonly task: TaskView;
  /** Settled and reported: nothing more comes. */
  readonly isOver: boolean;
  readonly signal: FinalSignal | null;
  /** Nothing was there to check the work by. */
  readonly isUnchecked: boolean;
  /** A person stopped it. */
  readonly isStopped: boolean;
  /** The AOP RESPONSE. */
  readonly response: Readonly<Record<string, unknown>> | null;
  readonly checks: readonly ComparedCheck[];
  readonly changed: readonly { readonly path: string; readonly status: string }[];
  readonly receipt: { readonly file: string; readonly staleFiles: readonly string[] } | null;
  readonly workplace: { readonly kind: 'in-place' | 'worktree'; readonly folder: string } | null;
}

export interface LogRequest extends TaskRequest {
  /** The position to continue from. */
  readonly after?: number;
}

export interface LogPage {
  readonly text: string;
  /** Where to go on from. */
  readonly next: number;
  /** The run is over, and this was the last of it. */
  readonly isEnd: boolean;
}

export interface DiffAnswer {
  readonly task: string;
  readonly from: string;
  readonly to: string;
  readonly files: readonly {
    readonly path: string;
    readonly status: string;
    readonly added: number | null;
    readonly removed: number | null;
  }[];
  readonly text: string;
}

export interface ApplyRequest extends TaskRequest {
  /** Commits the work on this new branch instead of writing it into the working tree. */
  readonly branch?: string;
}

export interface UndoRequest extends TaskRequest {
  /** Keeps the files that changed since. */
  readonly keep?: boolean;
}

export interface WorkAnswer {
  readonly task: string;
  /** Files that were written, put back or left out. */
  readonly files: readonly string[];
  readonly branch: string | null;
  readonly commit: string | null;
  /** Where what was there before is kept. */
  readonly keptAs: string | null;
}

export interface VerifyAnswer {
  readonly task: string;
  readonly isPassed: boolean;
  readonly results: readonly {
    readonly id: string;
    readonly kind: string;
    readonly result: string;
    readonly message: string;
    readonly exitCode: number | null;
    readonly tail: string;
  }[];
}
