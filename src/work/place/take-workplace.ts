import { join } from 'node:path';
import { assertNever } from '../../domain/assert-never.ts';
import type { Workplace } from '../../domain/execution/findings.ts';
import { recordCode } from '../../domain/failure-code.ts';
import type { Order } from '../../domain/order/order.ts';
import type { Refusal } from '../../domain/refusal.ts';
import type { TaskName } from '../../domain/task/task.ts';
import type { WorktreeObstacle } from '../../domain/work/decide-workplace.ts';
import type { OpenOrder } from '../../operations/order/order-store.ts';
import { findRepository } from '../../workspace/find-repository.ts';
import { sweepWorktrees } from '../../workspace/worktree/remove-worktree.ts';
import type { WorkWorld } from '../work-world.ts';
import { type StartOfWork, waitingWorktree } from './continuation.ts';
import { findWorkplace, refuseWorktree } from './find-workplace.ts';
import { prepareWorktree, WORKTREES } from './prepare-worktree.ts';
import { realFolder } from './work-folder.ts';

export interface TakenPlace {
  readonly workplace: Workplace;
  readonly head: string | null;
  /** The state before the first of several rounds that share a worktree; absent where the work begins now. */
  readonly start?: StartOfWork;
  /** Tasks whose work a new worktree has from the start. */
  readonly basedOn?: readonly TaskName[];
}

const IN_PLACE: TakenPlace = { workplace: { kind: 'in-place' }, head: null };

/** Takes the place that is decided on; null if the order has to wait. */
export async function takeWorkplace(
  world: WorkWorld,
  open: OpenOrder,
  signal: AbortSignal,
): Promise<TakenPlace | Refusal | null> {
  const { execution, task } = open;
  const { order, admitted, continues } = execution;
  const question = { order, sandbox: admitted?.sandbox ?? null, continues, task };
  for (;;) {
    const { decision, repository, folder, holder } = await findWorkplace(world, question, world.ledger.read);
    switch (decision.kind) {
      case 'in-place':
        // Nobody else works in the folder of unpacked work, whatever lies around the data folder.
        if (order.access.writePaths.length === 0 || order.parcel !== undefined) return IN_PLACE;
        if (world.workplaces.take(task.id, folder)) return IN_PLACE;
        // Another task took it a moment ago.
        continue;
      case 'same-worktree':
        return waitingWorktree(world.ledger.read, continues as NonNullable<typeof continues>);
      case 'worktree':
        return (await prepareWorktree(world, { ...open, signal }, repository)) ?? cannotStart(order, 'not-in-commit');
      case 'refused':
        return cannotStart(order, decision.obstacle);
      case 'waits':
        if (world.workplaces.wait(task.id, folder)) world.log.log('run.waits', { task: task.id, folder, holder });
        return null;
      default:
        return assertNever(decision);
    }
  }
}

/** The report of an order has no hint, so its message tells what to do. */
function cannotStart(order: Order, obstacle: WorktreeObstacle): Refusal {
  const { message, hint, ...refusal } = refuseWorktree(order, obstacle, null);
  const code = recordCode(obstacle === 'no-sandbox' ? 'permission-denied' : 'file-not-found');
  return { ...refusal, code, message: `${message}: ${hint}`, hint };
}

/** Reserves the workspace of an order that an earlier node started in place. */
export function retakeWorkplace({ workplaces }: WorkWorld, { execution, task }: OpenOrder): void {
  const { order, snapshotted, outcome } = execution;
  if (outcome !== null || snapshotted?.workplace.kind !== 'in-place' || order.access.writePaths.length === 0) return;
  if (order.parcel !== undefined) return;
  const { repository = findRepository(order.workspaceRoot) } = snapshotted;
  workplaces.take(task.id, repository?.root ?? realFolder(order));
}

/** Removes unfinished and partly removed worktrees. A complete one stays until the user discards it. */
export function tidyWorktrees({ dataFolder }: WorkWorld): void {
  sweepWorktrees(join(dataFolder, WORKTREES), () => true);
}
