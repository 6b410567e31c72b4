import type { ComparedCheck } from '../domain/decisions/compare-checks.ts';
import type { FinalSignal } from '../domain/execution/fact.ts';
import type { OrderPlan } from '../domain/order-request.ts';
import type { TaskRequest } from './contract.ts';
import type { TaskView } from './task-view.ts';

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
