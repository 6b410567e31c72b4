import { join } from 'node:path';
import type { Order } from '../../domain/order.ts';
import { resolvePath } from '../../workspace/resolve-path.ts';
import type { SnapshotHome } from '../../workspace/snapshot/snapshot-home.ts';
import type { OpenOrder } from '../order-steps.ts';
import type { RunWorld } from '../run-world.ts';
import type { WorkFolder } from '../work-folder.ts';

/** Where the outputs of a task are kept for a rollback. */
export function snapshotHome(
  world: RunWorld,
  { task, execution }: OpenOrder,
  { shadows, repository }: WorkFolder,
): SnapshotHome {
  const workspaceRoot = realFolder(execution.order);
  const isMoved = shadows !== null && repository !== null && shadows.root !== repository.root;
  const root = isMoved ? join(shadows.root, workspaceRoot.slice(repository.root.length)) : workspaceRoot;
  const snapshotsFolder = join(world.dataFolder, 'snapshots', task.id);
  return { task: task.id, workspaceRoot, root, snapshotsFolder, place: shadows };
}

/** The workspace by its real path. */
export function realFolder({ workspaceRoot }: Order): string {
  const place = resolvePath(workspaceRoot, '/');
  return place.kind === 'there' ? place.realPath : workspaceRoot;
}
