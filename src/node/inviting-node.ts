import type { InvitingNode } from '../calls/external/external-calls.ts';
import type { OrderWorld } from '../orders/order-world.ts';
import type { ServerOnDemand } from './server-on-demand.ts';

/** The names and the address that invites of external agents depend on. */
export function invitingNode({ roster: { settings } }: OrderWorld, server: () => ServerOnDemand | null): InvitingNode {
  return {
    // Ready or not: an invite must not take the name of an agent that Baton starts itself.
    isOwnAgent: (name) => {
      const { agents, unready } = settings();
      return [...agents, ...unready].some((agent) => agent.name === name);
    },
    address: async () => (await server()?.open())?.file ?? null,
  };
}
