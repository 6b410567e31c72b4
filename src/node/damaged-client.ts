import { withIncident } from '../api/in-process/attention-calls.ts';
import type { NodeClient } from '../api/node-client.ts';
import { isRefusal } from '../domain/refusal.ts';
import type { Damage } from '../ledger/damage.ts';

/** A client whose status and attention queue report the damage of the ledger, which cannot record it. */
export function damagedClient(client: NodeClient, kind: string, damage: () => Damage | null): NodeClient {
  const incident = () => {
    const found = damage();
    return (
      found && { id: '', kind, taskId: null, detail: `all writes are refused: ${found.finding}`, at: found.foundAt }
    );
  };
  return {
    ...client,
    status: async () => {
      const status = await client.status();
      const found = incident();
      if (found === null || isRefusal(status)) return status;
      const { at: openedAt, ...about } = found;
      const attention = withIncident(status.attention, { ...about, openedAt: Date.parse(openedAt) });
      return { ...status, attention, incidents: [{ ...about, openedAt }, ...status.incidents] };
    },
    listAttention: async (request = {}) => {
      const list = await client.listAttention(request);
      const found = incident();
      if (found === null || isRefusal(list) || request.task !== undefined) return list;
      return withIncident(list, { ...found, openedAt: Date.parse(found.at) });
    },
  };
}
