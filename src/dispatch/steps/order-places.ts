import type { WorkspacePlaces } from '../../checks/workspace-places.ts';
import type { Execution } from '../../domain/execution/execution.ts';
import type { Order } from '../../domain/order.ts';
import type { RunWorld } from '../run-world.ts';
import { type WorkFolder, workFolderOf } from '../work-folder.ts';

/** Where the files of an order are, in the paths its agent knows. */
export function placesOf(world: RunWorld, { order, snapshotted }: Execution): WorkspacePlaces {
  const workplace = snapshotted?.workplace ?? { kind: 'in-place' };
  return placesIn(
    order,
    workFolderOf({ order, workplace, dataFolder: world.dataFolder, head: snapshotted?.head ?? null }),
  );
}

/** What may be written may be looked at too. */
export function placesIn({ workspaceRoot, access }: Order, { mounts }: WorkFolder): WorkspacePlaces {
  return { workspaceRoot, readPaths: [...access.readPaths, ...access.writePaths], mounts };
}
