import { loadConfigSources } from '../config/load.ts';
import type { OrderPlan, OrderRequest } from '../domain/order/order-request.ts';
import type { Refusal } from '../domain/refusal.ts';
import type { SessionPlan, SessionRequest } from '../domain/session/session-request.ts';
import { planRequest } from '../orders/accept-order.ts';
import type { PlanWorld } from '../orders/roster.ts';
import { systemClock } from '../platform/clock.ts';
import { randomIds } from '../platform/ids.ts';
import { planSessionRequest } from '../sessions/plan-session-request.ts';
import { Workplaces } from '../work/place/workplaces.ts';
import { agentParts, versionsAsked } from './agents/list-agents.ts';
import { hostsOf, keptSettings, loadRunSettings } from './agents/load-run-settings.ts';
import { sandboxParts } from './agents/sandbox-parts.ts';
import { aopEdge } from './aop-edge.ts';

/** The agents, drivers and sandbox of this machine, for planning orders. */
export function planWorldOf({ dataFolder, clock, ids }: Pick<PlanWorld, 'dataFolder' | 'clock' | 'ids'>): PlanWorld {
  return {
    dataFolder,
    clock,
    ids,
    edge: aopEdge(dataFolder),
    hostsOf,
    workplaces: new Workplaces(),
    ...agentParts(dataFolder),
    ...sandboxParts(dataFolder),
    settings: keptSettings({
      clock,
      sources: () => loadConfigSources(dataFolder),
      programs: versionsAsked,
      load: () => loadRunSettings(dataFolder),
    }),
  };
}

/** The plan of a session without a node. */
export async function planSessionOnly(dataFolder: string, request: SessionRequest): Promise<SessionPlan | Refusal> {
  return await planSessionRequest(planWorldOf({ dataFolder, clock: systemClock(), ids: randomIds() }), request, null);
}

/** A plan without a node: no folder is created. */
export async function planOrderOnly(dataFolder: string, request: OrderRequest): Promise<OrderPlan | Refusal> {
  return await planRequest(planWorldOf({ dataFolder, clock: systemClock(), ids: randomIds() }), request, null);
}
