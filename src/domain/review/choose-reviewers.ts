import { type AgentFacts, hasVendor } from '../agent/agent.ts';

export interface ReviewerChoice {
  /** Agents of the policy, in its order. */
  readonly by: readonly string[];
  /** Everybody who worked on the task. */
  readonly authors: readonly string[];
  /** The agents that are ready. */
  readonly agents: readonly Pick<AgentFacts, 'name' | 'driver' | 'provider'>[];
  readonly isSameVendorAllowed: boolean;
}

/** The agents that may review work: never one that did it and, unless that is allowed, none of the same vendor. */
export function chooseReviewers({ by, authors, agents, isSameVendorAllowed }: ReviewerChoice): readonly string[] {
  const vendors = new Set(authors.map((name) => vendorOf(name, agents)));
  return by.filter((name) => {
    if (authors.includes(name) || !agents.some((agent) => agent.name === name)) return false;
    return isSameVendorAllowed || !vendors.has(vendorOf(name, agents));
  });
}

/** An agent of an unknown vendor counts as one of its own. */
function vendorOf(name: string, agents: ReviewerChoice['agents']): string {
  const agent = agents.find((each) => each.name === name);
  if (agent === undefined) return `agent ${name}`;
  if (agent.provider !== 'OTHER') return agent.provider;
  return hasVendor(agent.driver) ? agent.driver : `agent ${name}`;
}
