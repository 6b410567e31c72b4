import type { NetworkLevel } from '../order/access.ts';

/** The terms of an order that another node runs. */
export interface SentTerms {
  /** Nodes, agents (emma) or agents of one node (emma@laptop); empty leaves the choice to the capabilities. */
  readonly to: readonly string[];
  /** Capabilities that its agent must have, each perhaps with a version: cap.release.checklist@1.2.0. */
  readonly needs: readonly string[];
  /** Milliseconds since 1970. */
  readonly deadlineAt: number | null;
  /** The agent in whose name it is sent; the node itself for an operator. */
  readonly requester: string;
}

/** An agent of a node that an order is sent to. */
export interface Receiver {
  readonly agent: string;
  readonly node: string;
}

/** The most that the sender of an order grants. The node that runs it may narrow it, and never widens it. */
export interface OrderGrant {
  readonly network: NetworkLevel;
  /** Reached under RESTRICTED, besides the hosts of the agent's own model. */
  readonly hosts: readonly string[];
  readonly budgetUsd: number | null;
  readonly timeoutSeconds: number;
  /** Attempts after a failed one. */
  readonly retries: number;
  readonly checks: readonly string[];
}

/** `emma@laptop`, also for a task that was sent to the node itself. */
export function receiverName({ agent, node }: Receiver): string {
  return agent === node || agent.includes('@') ? agent : `${agent}@${node}`;
}
