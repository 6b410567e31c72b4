import { KEYS } from '../records.ts';
import type { Transport } from '../transport.ts';

/** Open reviews of a capability by the agent whose work they are about; an empty name is the capability itself. */
export async function readOpenReviews(
  transport: Transport,
  capabilityId: string,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  const prefix = KEYS.reviewsOf(capabilityId);
  for (const { key } of await transport.list(prefix)) {
    const agent = agentInKey(key.slice(prefix.length));
    if (agent !== null) counts.set(agent, (counts.get(agent) ?? 0) + 1);
  }
  return counts;
}

/** `emma.rev_01…`; a review of nobody's work has `-` in that place. Null for a record of a longer capability name. */
function agentInKey(rest: string): string | null {
  const [, agent = '', id = ''] = /^(.+)\.(rev_[A-Za-z0-9]+)$/.exec(rest) ?? [];
  if (id === '') return null;
  return agent === '-' ? '' : agent;
}
