import type { NodeClient } from '../../api/contract.ts';

/** A node that carries out orders: the one that is there, or this process. */
export interface CarryingNode {
  readonly client: NodeClient;
  /** This process carries what runs, perhaps since the node it began with is gone: it must not go before that has ended. */
  readonly isOurs: boolean;
  close(): Promise<void>;
}
