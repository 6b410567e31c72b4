import type { Sandboxes } from '../agents/sandbox/sandboxes.ts';
import type { Clock } from '../platform/clock.ts';
import type { Ids } from '../platform/ids.ts';
import type { Workplaces } from '../work/place/workplaces.ts';
import type { WorkspaceStatus } from '../workspace/repository-status.ts';
import type { OrderEdge } from './order-edge.ts';
import type { Roster } from './roster.ts';

/** The machine beside the agents. */
interface Surroundings {
  /** The homes of the user who started the node. */
  readonly homes: readonly string[];
  /** Asks git about a folder: once for each plan. */
  repositoryStatus(folder: string): Promise<WorkspaceStatus>;
}

/** Everything that a plan is made from. Planning changes nothing. */
export interface PlanWorld {
  readonly dataFolder: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly surroundings: Surroundings;
  readonly edge: OrderEdge;
  readonly workplaces: Workplaces;
  readonly roster: Roster;
  readonly sandboxes: Sandboxes;
}
