import { join } from 'node:path';
import type { Workplace } from '../../domain/execution/findings.ts';
import type { Order } from '../../domain/order.ts';
import { type Refusal, refuse } from '../../domain/refusal.ts';
import { findRepository } from '../../workspace/find-repository.ts';
import { sweepWorktrees } from '../../workspace/worktree/remove-worktree.ts';
import type { OpenOrder } from '../order-steps.ts';
import type { RunWorld } from '../run-world.ts';
import { realFolder } from './order-paths.ts';
import { prepareWorktree, WORKTREES } from './prepare-worktree.ts';

export interface TakenPlace {
  readonly workplace: Workplace;
  readonly head: string | null;
}

const IN_PLACE: TakenPlace = { workplace: { kind: 'in-place' }, head: null };

/** In place where nobody else works there; else in a worktree, or, where there can be none, after the other: null then. */
export async function takeWorkplace(
  world: RunWorld,
  at: OpenOrder,
  signal: AbortSignal,
): Promise<TakenPlace | Refusal | null> {
  const { execution, task } = at;
  const { order, admitted } = execution;
  if (order.access.writePaths.length === 0) return IN_PLACE;
  const repository = findRepository(order.workspaceRoot);
  const held = repository?.root ?? realFolder(order);
  const mayMove = repository !== null && admitted?.sandbox !== 'none';
  const wantsOwn = order.worktree.isWanted && mayMove;
  if (!wantsOwn && world.workplaces.take(task.id, held)) return IN_PLACE;
  const worktree = mayMove ? await prepareWorktree(world, { ...at, signal }, repository) : null;
  if (worktree !== null) return worktree;
  if (wantsOwn) return noWorktree(order);
  const holder = world.workplaces.holderOf(held);
  if (world.workplaces.wait(task.id, held)) world.log.log('run.waits', { task: task.id, folder: held, holder });
  return null;
}

function noWorktree({ workspaceRoot }: Order): Refusal {
  const whatToDo = 'commit a file in it, or run without --worktree';
  return refuse('E_FILE_NOT_FOUND', `${workspaceRoot} is in no commit, so there is no worktree of it: ${whatToDo}`);
}

/** A node that comes after another knows who works where from what was written down. */
export function retakeWorkplace({ workplaces }: RunWorld, { execution, task }: OpenOrder): void {
  const { order, snapshotted, outcome } = execution;
  if (outcome !== null || snapshotted?.workplace.kind !== 'in-place' || order.access.writePaths.length === 0) return;
  const { repository = findRepository(order.workspaceRoot) } = snapshotted;
  workplaces.take(task.id, repository?.root ?? realFolder(order));
}

/** Those that were begun and not finished, or half removed; one that is whole stays until a person drops it. */
export function tidyWorktrees({ dataFolder }: RunWorld): void {
  sweepWorktrees(join(dataFolder, WORKTREES), () => true);
}
