import type { Sandboxes } from '../agents/sandbox/sandboxes.ts';
import type { Clock } from '../platform/clock.ts';
import type { Ids } from '../platform/ids.ts';
import type { Workplaces } from '../work/place/workplaces.ts';
import type { OrderEdge } from './order-edge.ts';
import type { Roster } from './roster.ts';

/** Everything that a plan is made from. Planning changes nothing. */
export interface PlanWorld {
  readonly dataFolder: string;
  readonly clock: Clock;
  readonly ids: Ids;
  /** The homes of the user who started the node. */
  readonly homes: readonly string[];
  readonly edge: OrderEdge;
  readonly workplaces: Workplaces;
  readonly roster: Roster;
  readonly sandboxes: Sandboxes;
}
