import type { Fact } from '../../domain/execution/fact.ts';
import type { RollbackTrigger } from '../../domain/execution/findings.ts';
import type { Refusal } from '../../domain/refusal.ts';
import type { RunningAttempt } from '../attempt/attempt.ts';
import type { OpenOrder } from '../order-store.ts';
import { admitAgain } from '../orders/admit.ts';
import { refuseRetry } from '../orders/ensure-order.ts';
import type { RunWorld } from '../run-world.ts';
import { collectStep } from './collect-step.ts';
import { launchStep } from './launch-step.ts';
import { reportStep } from './report-step.ts';
import { rollBackStep } from './roll-back-step.ts';
import { snapshotStep } from './snapshot-step.ts';
import { verifyStep } from './verify-step.ts';

type FactOf<Kind extends Fact['kind']> = Extract<Fact, { readonly kind: Kind }>;

/**
 * The implementation of each step. A step inspects or changes files and processes. It may record what happens while it
 * runs, such as heartbeats and turns; its result is a fact that the runner writes. It does not decide the next step.
 */
export interface OrderSteps {
  admit(order: OpenOrder): Promise<FactOf<'admitted'> | Refusal>;
  /** Null while another run has the workspace and no worktree is possible. */
  snapshot(order: OpenOrder, signal: AbortSignal): Promise<FactOf<'snapshotted'> | Refusal | null>;
  /** The signal, aborted with a StopReason, ends the agent. */
  launch(order: OpenOrder, signal: AbortSignal): Promise<RunningAttempt>;
  collect(order: OpenOrder): Promise<FactOf<'collected'>>;
  /** Once the signal is aborted, the remaining checks are skipped. */
  verify(order: OpenOrder, signal: AbortSignal): Promise<FactOf<'verified'>>;
  rollBack(order: OpenOrder, trigger: RollbackTrigger): Promise<FactOf<'rolled-back'>>;
  /** Writes the report and the receipt as files; repeated, it writes the same. */
  report(order: OpenOrder): Promise<FactOf<'reported'>>;
}

/** The steps of an order with real processes, files and git. */
export function stepsOf(world: RunWorld): OrderSteps {
  return {
    admit: async (open) => (await refuseRetry(world, open)) ?? (await admitAgain(world, open)),
    snapshot: (open, signal) => snapshotStep(world, open, signal),
    launch: (open, signal) => launchStep(world, open, signal),
    collect: (open) => collectStep(world, open),
    verify: (open, signal) => verifyStep(world, open, signal),
    rollBack: (open, trigger) => rollBackStep(world, open, trigger),
    report: (open) => reportStep(world, open),
  };
}
