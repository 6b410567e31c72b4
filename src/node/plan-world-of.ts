import { loadConfigSources } from '../config/load.ts';
import type { OfferedPlan, PlanOrderRequest } from '../domain/order/order-request.ts';
import type { Refusal } from '../domain/refusal.ts';
import type { SessionPlan, SessionRequest } from '../domain/session/session-request.ts';
import { planRequest } from '../orders/accept-order.ts';
import type { OrderOffers } from '../orders/order-offers.ts';
import type { PlanWorld } from '../orders/plan-world.ts';
import type { Roster } from '../orders/roster.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import { homeFolders } from '../platform/files/home-folders.ts';
import { randomIds } from '../platform/ids.ts';
import { planSessionRequest } from '../sessions/plan-session-request.ts';
import { Workplaces } from '../work/place/workplaces.ts';
import { type EarlyLook, readRepositoryStatus } from '../workspace/repository-status.ts';
import { agentParts, versionsAsked } from './agents/list-agents.ts';
import { hostsOfPresets, keptSettings, loadRunSettings } from './agents/load-run-settings.ts';
import { programParts, sandboxesOf } from './agents/sandbox-parts.ts';
import { aopEdge } from './aop-edge.ts';

interface OwnParts extends Pick<PlanWorld, 'dataFolder' | 'clock' | 'ids' | 'workplaces'> {
  /** Begun by the command that this world is for. */
  readonly earlyLook?: EarlyLook | undefined;
}

/** The agents, drivers and sandbox of this machine, for planning orders. */
export function planWorldOf({ earlyLook, ...own }: OwnParts): PlanWorld {
  const { dataFolder, clock } = own;
  return {
    ...own,
    edge: aopEdge(dataFolder),
    roster: rosterOf(dataFolder, clock),
    sandboxes: sandboxesOf(dataFolder),
    surroundings: {
      homes: homeFolders(),
      repositoryStatus: (folder) => earlyLook?.take(folder) ?? readRepositoryStatus(folder),
    },
  };
}

function rosterOf(dataFolder: string, clock: Clock): Roster {
  return {
    hostsOf: hostsOfPresets,
    ...agentParts(dataFolder),
    ...programParts(),
    settings: keptSettings({
      clock,
      sources: () => loadConfigSources(dataFolder),
      programs: versionsAsked,
      load: () => loadRunSettings(dataFolder),
    }),
  };
}

function worldWithoutNode(dataFolder: string): PlanWorld {
  return planWorldOf({ dataFolder, clock: systemClock(), ids: randomIds(), workplaces: new Workplaces() });
}

/** The plan of a session without a node. */
export async function planSessionOnly(dataFolder: string, request: SessionRequest): Promise<SessionPlan | Refusal> {
  return await planSessionRequest(worldWithoutNode(dataFolder), request, null);
}

/** A plan without a node: no folder is created. The offers keep the order of an attended caller for the node that it is given to. */
export async function planOrderOnly(
  dataFolder: string,
  { isAttended = false, ...request }: PlanOrderRequest,
  offers: OrderOffers,
): Promise<OfferedPlan | Refusal> {
  const world = worldWithoutNode(dataFolder);
  return isAttended ? await offers.make(world, request, null) : await planRequest(world, request, null);
}
