import type { Issue } from '../issue.ts';
import type { TaskCreateEnvelope } from './schema/events.ts';

const EVERYONE = 'all';

/** The warning about an event whose publisher did not expand `all`. */
export const UNEXPANDED_ALL = 'unexpanded_all';

interface AddressedMessage {
  readonly toAgentId?: string | undefined;
  readonly payload: { readonly toAgents?: readonly string[] | undefined };
}

interface EstimatedMessage {
  readonly payload: { readonly etaAt?: string | undefined; readonly etaSeconds?: number | undefined };
}

/** runtime:recipients: toAgentId only when there is one recipient. */
export function toAgentIdAmongSeveral(message: AddressedMessage): Issue[] {
  if (message.toAgentId === undefined || (message.payload.toAgents?.length ?? 0) < 2) return [];
  return [{ path: ['toAgentId'], kind: 'not-allowed', because: 'payload.toAgents names more than one recipient' }];
}

/** runtime:recipients: `all` beside other recipients is contradictory. */
export function allBesideOthers(message: AddressedMessage): Issue[] {
  const { toAgents } = message.payload;
  if (!toAgents || toAgents.length < 2 || !toAgents.includes(EVERYONE)) return [];
  return [
    { path: ['payload', 'toAgents'], kind: 'note', text: `has "${EVERYONE}" beside others; it must stand alone` },
  ];
}

/** Runtime §3, runtime:recipients: the publisher expands `all`; an envelope that still has it is accepted with a warning. */
export function unexpandedAll(message: AddressedMessage): Issue[] {
  const { toAgents } = message.payload;
  if (toAgents?.length !== 1 || toAgents[0] !== EVERYONE) return [];
  const text = `"${EVERYONE}" was not expanded to the recipients it stands for`;
  return [{ path: ['payload', 'toAgents'], code: UNEXPANDED_ALL, kind: 'note', text }];
}

/** The code of a task that names nobody (Runtime §4, routing rule 3). */
export const NO_ROUTE = 'no_route';

/** Runtime §4, routing rules 1 and 2; runtime:refusals names the missing fields. */
export function routeMissing(message: TaskCreateEnvelope): Issue[] {
  const { toAgents, requiredCapabilities } = message.payload;
  if (toAgents?.length || requiredCapabilities?.length) return [];
  return [
    { path: ['payload'], code: NO_ROUTE, kind: 'needs-one-of', fields: ['toAgents', 'requiredCapabilities'] },
    { path: ['payload'], code: NO_ROUTE, kind: 'note', text: 'missing_route_fields' },
  ];
}

/** Runtime §7, runtime:skill-distribution: the fields that a skill distribution adds to a task. */
export function skillDistributionIncomplete(message: TaskCreateEnvelope): Issue[] {
  const { payload } = message;
  if (payload.taskType !== 'skill_distribution') return [];
  const because = 'taskType is skill_distribution';
  return (['capabilityId', 'delegationSkillRef', 'requiredBy'] as const)
    .filter((field) => payload[field] === undefined)
    .map((field) => ({ path: ['payload', field], kind: 'needed-because', because }));
}

/** Runtime §4, task accept rule 2. */
export function etaMissing(message: EstimatedMessage): Issue[] {
  const { etaAt, etaSeconds } = message.payload;
  if (etaAt !== undefined || etaSeconds !== undefined) return [];
  return [{ path: ['payload'], code: 'invalid_payload', kind: 'needs-one-of', fields: ['etaAt', 'etaSeconds'] }];
}
