import type { WorkspacePlaces } from '../../checks/workspace-places.ts';
import type { Execution } from '../../domain/execution/execution.ts';
import type { Order } from '../../domain/order.ts';
import type { RunWorld } from '../run-world.ts';
import { folderOfExecution, type WorkFolder } from '../work-folder.ts';

/** Where the files of an order are, in the paths its agent knows. */
export function placesOf(world: RunWorld, execution: Execution): WorkspacePlaces {
  return placesIn(execution.order, folderOfExecution(execution, world.dataFolder));
}

/** What may be written may be looked at too. */
export function placesIn({ workspaceRoot, access }: Order, { mounts }: WorkFolder): WorkspacePlaces {
  return { workspaceRoot, readPaths: [...access.readPaths, ...access.writePaths], mounts };
}
