import { join } from 'node:path';
import type { Fact, Workplace } from '../../domain/execution/fact.ts';
import { WORKPLACE_LOOK_MS } from '../../domain/limits.ts';
import type { Order } from '../../domain/order.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import { findRepository } from '../../workspace/find-repository.ts';
import { lookAtPath } from '../../workspace/look-at-path.ts';
import { takeShadow } from '../../workspace/shadow/take-shadow.ts';
import { takeSnapshots } from '../../workspace/snapshot/take-snapshots.ts';
import type { OrderAtHand } from '../order-steps.ts';
import type { RunWorld } from '../run-world.ts';
import { type WorkFolder, workFolderOf } from '../work-folder.ts';
import { outputHash } from './collect-step.ts';
import { prepareWorktree } from './prepare-worktree.ts';
import { verifyWork } from './verify-step.ts';

type Snapshotted = Extract<Fact, { readonly kind: 'snapshotted' }>;

/** Before the first attempt: a place to work in, and everything that is needed to tell and to undo what is done there. */
export async function snapshotStep(
  world: RunWorld,
  at: OrderAtHand,
  isStopped: () => boolean,
): Promise<Snapshotted | Refusal> {
  const { execution, task, stored } = at;
  const { order } = execution;
  const taken = await takeWorkplace(world, at, isStopped);
  if (isRefusal(taken)) return taken;
  const { workplace, head: made } = taken;
  const folder = workFolderOf({ order, workplace, dataFolder: world.dataFolder, head: made });
  const atMs = world.clock.now().wallMs;
  const before =
    folder.shadows && (await takeShadow(folder.shadows, { task: task.id, label: `${stored.round}/before`, atMs }));
  const head = made ?? before?.head ?? null;
  const files = await takeSnapshots(snapshotHome(world, at, folder), wantedSnapshots(order));
  if (isRefusal(files)) return files;
  const { results, made: checks } = await verifyWork(world, { execution, task: task.id, workplace, isStopped });
  const outputs = folder.shadows === null ? await outputsNow(order) : [];
  return {
    kind: 'snapshotted',
    workplace,
    commit: before?.commit ?? null,
    head,
    files,
    checks: results,
    made: checks,
    outputs,
  };
}

interface TakenPlace {
  readonly workplace: Workplace;
  readonly head: string | null;
}

const IN_PLACE: TakenPlace = { workplace: { kind: 'in-place' }, head: null };

/** In place where nobody else works there; else in a worktree, or, where there can be none, after the other. */
async function takeWorkplace(
  world: RunWorld,
  at: OrderAtHand,
  isStopped: () => boolean,
): Promise<TakenPlace | Refusal> {
  const { execution, task, stored } = at;
  const { order, admitted } = execution;
  if (order.access.writePaths.length === 0) return IN_PLACE;
  const repository = findRepository(order.workspaceRoot);
  const held = repository?.root ?? realFolder(order);
  const mayMove = repository !== null && admitted?.sandbox !== 'none';
  for (let isTold = false; ; isTold = true) {
    const wantsOwn = stored.settings.wantsWorktree && mayMove;
    if (!wantsOwn && world.workplaces.take(task.id, held)) return IN_PLACE;
    const worktree = mayMove ? await prepareWorktree(world, at, repository) : null;
    if (worktree !== null) return worktree;
    if (isStopped()) return refuse('E_UNKNOWN', 'stopped before it could begin');
    if (!isTold) world.log.log('run.waits', { task: task.id, folder: held, holder: world.workplaces.holderOf(held) });
    await world.timer.pause(WORKPLACE_LOOK_MS);
  }
}

function realFolder({ workspaceRoot }: Order): string {
  const place = lookAtPath(workspaceRoot, '/');
  return place.kind === 'there' ? place.realPath : workspaceRoot;
}

function wantedSnapshots({ outputs }: Order) {
  return outputs.flatMap(({ path, snapshot }) =>
    path === null || snapshot === null ? [] : [{ path, strategy: snapshot.strategy, snapshotPath: snapshot.path }],
  );
}

/** Where the outputs of a task are kept for a rollback. */
export function snapshotHome(world: RunWorld, { task, execution }: OrderAtHand, { shadows, repository }: WorkFolder) {
  const workspaceRoot = realFolder(execution.order);
  const isMoved = shadows !== null && repository !== null && shadows.root !== repository.root;
  const root = isMoved ? join(shadows.root, workspaceRoot.slice(repository.root.length)) : workspaceRoot;
  const snapshotsFolder = join(world.dataFolder, 'snapshots', task.id);
  return { task: task.id, workspaceRoot, root, snapshotsFolder, place: shadows };
}

async function outputsNow(order: Order): Promise<NonNullable<Snapshotted['outputs']>> {
  const paths = order.outputs.flatMap(({ path }) => (path === null ? [] : [path]));
  return await Promise.all(
    [...new Set(paths)].map(async (path) => ({ path, sha256: (await outputHash(path, order))?.sha256 ?? null })),
  );
}
