import { splitAddress } from '../federation/choose-recipients.ts';
import { NETWORK_LEVELS, type NetworkLevel } from '../order/access.ts';
import { type Refusal, refuse } from '../refusal.ts';
import type { OrderGrant } from './sent-terms.ts';

/** An agent that this node offers to others. */
export interface OfferedAgent {
  readonly name: string;
  readonly load: number;
  readonly slots: number;
}

export interface ReceivingQuestion {
  readonly nodeId: string;
  /** The names here that the task was sent to. */
  readonly recipients: readonly string[];
  readonly offered: readonly OfferedAgent[];
  readonly defaultAgent: string | null;
  /** Agents that offer all capabilities that the task needs; null where it needs none. */
  readonly able: readonly string[] | null;
}

/** The agent that does a task of another node, or why nobody here does. Only agents that the operator offers are used. */
export function chooseReceivingAgent(question: ReceivingQuestion): string | Refusal {
  const { nodeId, recipients, offered, defaultAgent, able } = question;
  const isAble = ({ name }: OfferedAgent) => able === null || able.includes(name);
  const named = recipients.filter((recipient) => recipient !== nodeId).map((recipient) => splitAddress(recipient)[0]);
  const isForNode = recipients.includes(nodeId);
  const wanted = offered.filter(({ name }) => isForNode || named.includes(name));
  if (wanted.length === 0) {
    const who = named.length > 0 ? named.join(', ') : 'no agent';
    return refuse('permission-denied', `${who} of ${nodeId} is not offered to other nodes`);
  }
  const fit = wanted.filter(isAble);
  if (fit.length === 0) {
    return refuse(
      'capability_unavailable',
      `${wanted.map(({ name }) => name).join(', ')} does not offer it on ${nodeId}`,
    );
  }
  const usual = isForNode ? fit.find(({ name }) => name === defaultAgent) : undefined;
  return (usual ?? leastLoaded(fit)).name;
}

function leastLoaded(agents: readonly OfferedAgent[]): OfferedAgent {
  const share = ({ load, slots }: OfferedAgent) => load / Math.max(1, slots);
  const [first, ...others] = agents;
  if (!first) throw new Error('nobody to choose from');
  return others.reduce((best, next) => {
    const difference = share(next) - share(best);
    return difference < 0 || (difference === 0 && next.name < best.name) ? next : best;
  }, first);
}

/** The most that the operator of this node grants to any order. */
export interface OwnBounds {
  readonly network: NetworkLevel;
  readonly hosts: readonly string[];
  readonly budgetUsd: number | null;
}

/** The grant of another node, within the bounds of this one: never more than either allows. */
export function narrowGrant(asked: OrderGrant, own: OwnBounds): OrderGrant {
  const level = Math.min(NETWORK_LEVELS.indexOf(asked.network), NETWORK_LEVELS.indexOf(own.network));
  const caps = [asked.budgetUsd, own.budgetUsd].filter((cap) => cap !== null);
  return {
    ...asked,
    network: NETWORK_LEVELS[level] ?? 'NONE',
    hosts: asked.hosts.filter((host) => own.hosts.includes(host)),
    budgetUsd: caps.length === 0 ? null : Math.min(...caps),
  };
}

/** The grant of a sender that tells none: the least. */
export const LEAST_GRANT: Pick<OrderGrant, 'network' | 'hosts' | 'budgetUsd' | 'retries' | 'checks'> = {
  network: 'RESTRICTED',
  hosts: [],
  budgetUsd: null,
  retries: 0,
  checks: [],
};
