import type { Execution } from '../domain/execution/execution.ts';
import type { Fact } from '../domain/execution/fact.ts';
import type { RollbackTrigger } from '../domain/execution/findings.ts';
import type { Provenance } from '../domain/order.ts';
import type { QuotaHold } from '../domain/quota.ts';
import type { Refusal } from '../domain/refusal.ts';
import type { Task } from '../domain/task.ts';
import type { RunningAttempt } from './attempt/attempt.ts';

/** An order that is not reported yet, with its task, as read from the ledger before this step. */
export interface OpenOrder {
  readonly task: Task;
  readonly round: number;
  /** Milliseconds since 1970. */
  readonly orderedAt: number;
  readonly provenance: Provenance;
  readonly execution: Execution;
}

/** An open order and one of its runs. */
export interface OrderWithRun extends OpenOrder {
  readonly runId: string;
}

type FactOf<Kind extends Fact['kind']> = Extract<Fact, { readonly kind: Kind }>;

/**
 * The implementation of each step. A step inspects or changes files and processes and returns its findings as a fact.
 * It does not write to the ledger and does not decide the next step.
 */
export interface OrderSteps {
  /** Removes unfinished worktrees of a dead node. Called once, before the first order. */
  tidy(): void;
  /** Reserves the workspace of an order that an earlier node started. */
  resume(order: OpenOrder): void;
  admit(order: OpenOrder): Promise<FactOf<'admitted'> | Refusal>;
  /** Null while another run has the workspace and no worktree is possible. */
  snapshot(order: OpenOrder, signal: AbortSignal): Promise<FactOf<'snapshotted'> | Refusal | null>;
  /** The hold on the account of an agent; null if its vendor serves it, or may be tried. */
  holdOf(agent: string): QuotaHold | null;
  /** The signal, aborted with a StopReason, ends the agent. */
  launch(order: OpenOrder, runId: string, signal: AbortSignal): Promise<RunningAttempt>;
  /** Kills the remaining processes of a run that another node started. */
  sweep(runId: string): Promise<void>;
  collect(order: OpenOrder, runId: string): Promise<FactOf<'collected'>>;
  /** Once the signal is aborted, the remaining checks are skipped. */
  verify(order: OpenOrder, runId: string, signal: AbortSignal): Promise<FactOf<'verified'>>;
  rollBack(order: OpenOrder, trigger: RollbackTrigger): Promise<FactOf<'rolled-back'>>;
  /** Writes the report and the receipt as files; repeated, it writes the same. */
  report(order: OpenOrder): Promise<FactOf<'reported'>>;
}
