import type { WorkspacePlaces } from '../../checks/workspace-places.ts';
import type { Execution } from '../../domain/execution/execution.ts';
import type { RunWorld } from '../run-world.ts';
import { workFolderOf } from '../work-folder.ts';

/** Where the files of an order are, in the paths its agent knows. */
export function placesOf(world: RunWorld, { order, snapshotted }: Execution): WorkspacePlaces {
  const workplace = snapshotted?.workplace ?? { kind: 'in-place' };
  const { mounts } = workFolderOf({ order, workplace, dataFolder: world.dataFolder, head: snapshotted?.head ?? null });
  return { workspaceRoot: order.workspaceRoot, readPaths: order.access.readPaths, mounts };
}
