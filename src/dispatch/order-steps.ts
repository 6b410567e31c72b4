import type { Execution } from '../domain/execution/execution.ts';
import type { Fact, RollbackTrigger } from '../domain/execution/fact.ts';
import type { Provenance } from '../domain/order.ts';
import type { Refusal } from '../domain/refusal.ts';
import type { Task } from '../domain/task.ts';
import type { RunningAttempt } from './attempt/attempt.ts';

/** An order that is not reported yet, with its task, as the ledger has them at this step. */
export interface OpenOrder {
  readonly task: Task;
  readonly round: number;
  /** Milliseconds since 1970. */
  readonly orderedAt: number;
  readonly provenance: Provenance;
  readonly execution: Execution;
}

/** A run of it. */
export interface RunAtHand extends OpenOrder {
  readonly runId: string;
}

type FactOf<Kind extends Fact['kind']> = Extract<Fact, { readonly kind: Kind }>;

/** An agent's process at work, which the runner may end. */
export interface Work extends RunningAttempt {
  /** A person, or a change in the ledger, wants it to end. */
  stop(by: string): void;
  /** The node goes down: what was done does not count. */
  lose(): void;
}

/**
 * The doings behind the steps: each looks at the world, changes it, and tells what it found as a fact. None of them
 * writes to the ledger, and none decides what comes next.
 */
export interface OrderSteps {
  /** Once, before anything else: what a node that died left half made goes. */
  tidy(): void;
  /** An order that an earlier node began: what it holds is held again. */
  resume(order: OpenOrder): void;
  admit(order: OpenOrder): Promise<FactOf<'admitted'> | Refusal>;
  /** Null while another run has the workspace and there is no worktree to be had. */
  snapshot(order: OpenOrder, signal: AbortSignal): Promise<FactOf<'snapshotted'> | Refusal | null>;
  launch(order: OpenOrder, runId: string): Promise<Work>;
  /** Ends what is left of a run that another node started. */
  sweep(runId: string): Promise<void>;
  collect(order: OpenOrder, runId: string): Promise<FactOf<'collected'>>;
  /** Once the signal is aborted, the remaining checks are not made. */
  verify(order: OpenOrder, runId: string, signal: AbortSignal): Promise<FactOf<'verified'>>;
  rollBack(order: OpenOrder, trigger: RollbackTrigger): Promise<FactOf<'rolled-back'>>;
  /** Writes RESPONSE and receipt where people find them; made again, it writes the same. */
  report(order: OpenOrder): Promise<FactOf<'reported'>>;
}
