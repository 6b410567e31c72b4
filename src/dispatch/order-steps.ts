import type { Execution } from '../domain/execution/execution.ts';
import type { Fact, RollbackTrigger } from '../domain/execution/fact.ts';
import type { Refusal } from '../domain/refusal.ts';
import type { Task } from '../domain/task.ts';
import type { StoredOrder } from '../ledger/statements/orders.ts';
import type { RunningAttempt } from './attempt/attempt.ts';

/** An order with its task, as the ledger has them at this step. */
export interface OrderAtHand {
  readonly task: Task;
  readonly stored: StoredOrder;
  readonly execution: Execution;
}

/** A run of it. */
export interface RunAtHand extends OrderAtHand {
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
  resume(order: OrderAtHand): void;
  admit(order: OrderAtHand): Promise<FactOf<'admitted'> | Refusal>;
  /** Null while another run has the workspace and there is no worktree to be had. */
  snapshot(order: OrderAtHand, isStopped: () => boolean): Promise<FactOf<'snapshotted'> | Refusal | null>;
  launch(order: OrderAtHand, runId: string): Promise<Work>;
  /** Ends what is left of a run that another node started. */
  sweep(runId: string): Promise<void>;
  collect(order: OrderAtHand, runId: string): Promise<FactOf<'collected'>>;
  /** Once `isStopped`, what is left to check could not be run. */
  verify(order: OrderAtHand, runId: string, isStopped: () => boolean): Promise<FactOf<'verified'>>;
  rollBack(order: OrderAtHand, trigger: RollbackTrigger): Promise<FactOf<'rolled-back'>>;
  /** Writes RESPONSE and receipt where people find them; made again, it writes the same. */
  report(order: OrderAtHand): Promise<FactOf<'reported'>>;
}
