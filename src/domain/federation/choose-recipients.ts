/** The agents of this node, as far as events for them are concerned. */
export interface Residents {
  readonly nodeId: string;
  /** The agents that this node offers to others. */
  everybody(): readonly string[];
  /** Whether an agent of this name is configured here. */
  isLocal(agent: string): boolean;
  /** The fence under which this node owns an agent that others could take over; null if it does not. */
  fenceOf(agent: string): number | null;
  /** Whether the last heartbeat of this node is young enough to act as an owner. */
  readonly isLeaseValid: boolean;
}

export type RecipientVerdict =
  | { readonly kind: 'deliver' }
  /** Another node may be its owner by now: its sender finds out and sends it there. */
  | { readonly kind: 'not-owner' }
  /** There is no such agent here. */
  | { readonly kind: 'unknown' };

/**
 * Whether an event for an agent is delivered here. Of two nodes that both believe to own it, only the one with the fence that the sender
 * saw delivers it; `fence` is null where the sender named none.
 */
export function chooseRecipient(agent: string, fence: number | null, residents: Residents): RecipientVerdict {
  const { nodeId, isLeaseValid } = residents;
  if (agent === nodeId) return { kind: 'deliver' };
  const [name, node] = splitAddress(agent);
  if (node !== null) return { kind: node === nodeId && residents.isLocal(name) ? 'deliver' : 'unknown' };
  if (!residents.isLocal(agent)) return { kind: 'unknown' };
  const own = residents.fenceOf(agent);
  const isOwner = own !== null && isLeaseValid && (fence === null || fence === own);
  return { kind: isOwner ? 'deliver' : 'not-owner' };
}

/** `emma@laptop` is the agent emma of the node laptop, whoever owns the name in the federation. */
export function splitAddress(address: string): readonly [agent: string, node: string | null] {
  const at = address.lastIndexOf('@');
  return at < 1 ? [address, null] : [address.slice(0, at), address.slice(at + 1)];
}

/** The fences beside an event: `emma=3,critic=1`. */
export function readFences(text: string): ReadonlyMap<string, number> {
  const pairs = text.split(',').flatMap((part): [string, number][] => {
    const [agent = '', fence = ''] = part.split('=');
    return agent !== '' && /^\d{1,15}$/.test(fence) ? [[agent, Number(fence)]] : [];
  });
  return new Map(pairs);
}
