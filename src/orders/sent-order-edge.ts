import type { OpenOrder } from '../operations/order/order-store.ts';

/** The federation, as far as orders that other nodes run need it; the composition root hands it in. */
export interface SentOrderEdge {
  /** For the time of one command: it does not wait for other nodes. */
  readonly isBrief: boolean;
  /** Sends an order to whoever can do it now. False if nobody can, or no other node can be reached. */
  send(order: OpenOrder): Promise<boolean>;
  /** Looks after an order that another node has: its deadline, its estimate, the life of that node. False if nothing changed. */
  look(order: OpenOrder): Promise<boolean>;
  /** Tells the nodes that have the order to stop. False if that cannot be written now. */
  recall(order: OpenOrder, reason: string): Promise<boolean>;
  /** Judges the result of the other node and brings its files here. False if that has to wait. */
  bring(order: OpenOrder): Promise<boolean>;
}
