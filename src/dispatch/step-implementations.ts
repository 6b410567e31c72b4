import type { OrderSteps } from './order-steps.ts';
import { admitAgain } from './orders/admit.ts';
import type { RunWorld } from './run-world.ts';
import { collectStep } from './steps/collect-step.ts';
import { launchStep } from './steps/launch-step.ts';
import { reportStep } from './steps/report-step.ts';
import { rollBackStep } from './steps/roll-back-step.ts';
import { snapshotStep } from './steps/snapshot-step.ts';
import { sweepStep } from './steps/sweep-step.ts';
import { verifyStep } from './steps/verify-step.ts';
import { tidyScratch } from './workplace/scratch-folder.ts';
import { retakeWorkplace, tidyWorktrees } from './workplace/take-workplace.ts';

/** The steps of an order with real processes, files and git. */
export function stepImplementations(world: RunWorld): OrderSteps {
  return {
    tidy: () => {
      tidyWorktrees(world);
      tidyScratch(world);
    },
    resume: (at) => retakeWorkplace(world, at),
    admit: (at) => admitAgain(world, at),
    snapshot: (at, signal) => snapshotStep(world, at, signal),
    holdOf: (agent) => world.holdOf(agent),
    launch: (at, runId, signal) => launchStep(world, { ...at, runId }, signal),
    sweep: (runId) => sweepStep(world, runId),
    collect: (at, runId) => collectStep(world, at, runId),
    verify: (at, runId, signal) => verifyStep(world, { ...at, runId }, signal),
    rollBack: (at, trigger) => rollBackStep(world, at, trigger),
    report: (at) => reportStep(world, at),
  };
}
