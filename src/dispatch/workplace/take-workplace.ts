import { join } from 'node:path';
import type { Workplace } from '../../domain/execution/findings.ts';
import type { Order } from '../../domain/order.ts';
import { type Refusal, refuse } from '../../domain/refusal.ts';
import type { TaskName } from '../../domain/task.ts';
import { findRepository } from '../../workspace/find-repository.ts';
import { sweepWorktrees } from '../../workspace/worktree/remove-worktree.ts';
import type { OpenOrder } from '../order-store.ts';
import type { RunWorld } from '../run-world.ts';
import { type StartOfWork, waitingWorktree } from './continuation.ts';
import { prepareWorktree, WORKTREES } from './prepare-worktree.ts';
import { hasWaitingPrior } from './prior-work.ts';
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

/** Uses the workspace if it is free, else a worktree. Returns null if the order has to wait. */
export async function takeWorkplace(
  world: RunWorld,
  at: OpenOrder,
  signal: AbortSignal,
): Promise<TakenPlace | Refusal | null> {
  const { execution, task } = at;
  const { order, admitted } = execution;
  const { continues } = execution;
  const repository = findRepository(order.workspaceRoot);
  // The user's files do not have the work that it builds on.
  const isApart = repository !== null && hasWaitingPrior(world, at, repository);
  if (order.access.writePaths.length === 0 && !isApart) return IN_PLACE;
  if (continues?.isInWorktree) return waitingWorktree(world.ledger.read, continues);
  const held = repository?.root ?? realFolder(order);
  // A worktree of HEAD would not have the work that the order continues.
  const isBound = continues !== null && !continues.isTakenBack;
  const mayMove = repository !== null && admitted?.sandbox !== 'none' && !isBound;
  const wantsOwn = (order.worktree.isWanted || isApart) && mayMove;
  const takesHeld = () => world.workplaces.take(task.id, held);
  if (!wantsOwn && !order.worktree.isPlanned && takesHeld()) return IN_PLACE;
  const worktree = mayMove ? await prepareWorktree(world, { ...at, signal }, repository) : null;
  if (worktree !== null) return worktree;
  if (wantsOwn) return noWorktree(order);
  if (order.worktree.isPlanned && takesHeld()) return IN_PLACE;
  const holder = world.workplaces.holderOf(held);
  if (world.workplaces.wait(task.id, held)) world.log.log('run.waits', { task: task.id, folder: held, holder });
  return null;
}

function noWorktree({ workspaceRoot }: Order): Refusal {
  const whatToDo = 'commit a file in it, or run without --worktree';
  return refuse('E_FILE_NOT_FOUND', `${workspaceRoot} is in no commit, so there is no worktree of it: ${whatToDo}`);
}

/** Reserves the workspace of an order that an earlier node started in place. */
export function retakeWorkplace({ workplaces }: RunWorld, { execution, task }: OpenOrder): void {
  const { order, snapshotted, outcome } = execution;
  if (outcome !== null || snapshotted?.workplace.kind !== 'in-place' || order.access.writePaths.length === 0) return;
  const { repository = findRepository(order.workspaceRoot) } = snapshotted;
  workplaces.take(task.id, repository?.root ?? realFolder(order));
}

/** Removes unfinished and partly removed worktrees. A complete one stays until the user discards it. */
export function tidyWorktrees({ dataFolder }: RunWorld): void {
  sweepWorktrees(join(dataFolder, WORKTREES), () => true);
}
