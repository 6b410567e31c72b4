import { NODE_DEAD_MS, NODE_LEASE_MS } from './federation-limits.ts';

/** Whether a node lives, by the age of its record in the clock of the store (runtime:liveness). */
export function isAlive(record: { readonly status: string; readonly ageMs: number } | null): boolean {
  return record !== null && record.status === 'active' && record.ageMs < NODE_DEAD_MS;
}

/** Whether a node may act for agents that others could take over: long before they do, by its own monotonic clock. */
export function isLeaseValid(sinceHeartbeatMs: number): boolean {
  return sinceHeartbeatMs < NODE_LEASE_MS;
}

/** The node that has an agent, as the control plane says. */
export interface AgentOwner {
  readonly node: string;
  readonly fence: number;
}

export type OwnershipVerdict =
  /** Nobody has the agent: this node registers it. */
  | { readonly kind: 'register'; readonly fence: number }
  | { readonly kind: 'keep'; readonly fence: number }
  /** Its owner lives: this node stands by. */
  | { readonly kind: 'stand-by' }
  /** Its owner is dead or has left: this node takes it with the next fence. */
  | { readonly kind: 'take'; readonly fence: number };

/** For an agent that is configured here. */
export function decideOwnership(owner: AgentOwner | null, self: string, isOwnerAlive: boolean): OwnershipVerdict {
  if (owner === null) return { kind: 'register', fence: 1 };
  if (owner.node === self) return { kind: 'keep', fence: owner.fence };
  return isOwnerAlive ? { kind: 'stand-by' } : { kind: 'take', fence: owner.fence + 1 };
}

export type JoinVerdict =
  | { readonly kind: 'join' }
  /** Another process lives under this name. */
  | { readonly kind: 'taken' };

/** A process that uses the name of a node. */
export interface NodeProcess {
  readonly instance: string;
  readonly publicKey: string;
}

/**
 * Whether a process may use the name of a node. A node with another key may not while the first lives. Of two processes with the same
 * key, which only a copied data folder can have at the same time, the one that joined last counts.
 */
export function decideJoin(
  found: (NodeProcess & { readonly status: string; readonly ageMs: number }) | null,
  self: NodeProcess & { readonly hasJoined: boolean },
): JoinVerdict {
  if (found === null || found.instance === self.instance || !isAlive(found)) return { kind: 'join' };
  return { kind: found.publicKey === self.publicKey && !self.hasJoined ? 'join' : 'taken' };
}
