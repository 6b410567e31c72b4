import { sweepProcesses } from '../agents/process/sweep-processes.ts';
import type { RollbackTrigger } from '../domain/execution/fact.ts';
import { delegationDepth } from '../domain/task.ts';
import { selectRun } from '../ledger/statements/select-run.ts';
import { restoreSnapshots } from '../workspace/snapshot/restore-snapshots.ts';
import type { OrderAtHand, OrderSteps } from './order-steps.ts';
import type { ReadStoredOrder, RunWorld } from './run-world.ts';
import { admitStep } from './steps/admit-step.ts';
import { collectStep } from './steps/collect-step.ts';
import { launchStep } from './steps/launch-step.ts';
import { reportStep } from './steps/report-step.ts';
import { rollbackMessage } from './steps/rollback-message.ts';
import { snapshotHome, snapshotStep } from './steps/snapshot-step.ts';
import { verifyWork } from './steps/verify-step.ts';
import { workFolderOf } from './work-folder.ts';

/** The steps of an order, done for real: processes, files and git. */
export function orderDoings(world: RunWorld, readStored: ReadStoredOrder): OrderSteps {
  return {
    admit: ({ task, execution }) =>
      admitStep(world, {
        order: execution.order,
        settings: world.settings(),
        depth: delegationDepth(task),
        warnings: [],
      }),
    snapshot: (at, isStopped) => snapshotStep(world, at, isStopped),
    launch: (at, runId) => launchStep(world, { ...at, runId, message: readStored(at.stored).message }),
    sweep: (runId) => sweep(world, runId),
    collect: (at, runId) => collectStep(world, at, runId),
    verify: async ({ task, execution }, runId) => {
      const workplace = execution.snapshotted?.workplace ?? { kind: 'in-place' };
      return { kind: 'verified', runId, ...(await verifyWork(world, { task: task.id, execution, workplace })) };
    },
    rollBack: (at, trigger) => rollBack(world, at, trigger),
    report: (at) => reportStep(world, at),
  };
}

/** What a node that was killed left running. */
async function sweep(world: RunWorld, runId: string): Promise<void> {
  const run = selectRun(world.ledger.read, runId);
  const { bootId } = run?.leaseExpires ?? { bootId: '' };
  const identity = run?.process ? { ...run.process, bootId } : null;
  await sweepProcesses([{ runId, identity }], world.timer);
}

async function rollBack(world: RunWorld, at: OrderAtHand, trigger: RollbackTrigger) {
  const { execution } = at;
  const { order, snapshotted } = execution;
  const workplace = snapshotted?.workplace ?? { kind: 'in-place' };
  const head = snapshotted?.head ?? null;
  const folder = workFolderOf({ order, workplace, dataFolder: world.dataFolder, head });
  const files = await restoreSnapshots(snapshotHome(world, at, folder), snapshotted?.files ?? []);
  const message = rollbackMessage({ order, trigger, files, atMs: world.clock.now().wallMs });
  return { kind: 'rolled-back', trigger, files, message } as const;
}
