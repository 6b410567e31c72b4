import type { KnownNodes } from '../../federation/nodes/known-nodes.ts';
import type { PresentedAgent } from '../../federation/nodes/node-record.ts';
import type { Presence } from '../../federation/nodes/presence.ts';
import type { Sender } from '../../federation/outbox.ts';
import type { Transport } from '../../federation/transport.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import type { ContentRequests } from '../content.ts';
import type { ReceivedWork } from './received-work.ts';

/** The parts by which a node has tasks of others done. */
export interface TaskServing {
  readonly work: ReceivedWork;
  readonly asks: ContentRequests;
}

/** A node of a federation, as far as tasks of other nodes need it. */
export interface ServingNode {
  readonly parts: {
    readonly nodeId: string;
    readonly ledger: Pick<Ledger, 'read' | 'submit' | 'onCommitted'>;
    readonly transport: Transport;
    readonly clock: Clock;
    readonly log: Logger;
    /** Tasks of others that it takes at the same time. */
    readonly roomMax: number;
    agents(): readonly PresentedAgent[];
  };
  readonly sender: Sender;
  readonly known: Pick<KnownNodes, 'get'>;
  readonly presence: Pick<Presence, 'fenceOf' | 'isLeaseValid'>;
  /** Resolves when the node has shown itself in the control plane since the last connection. */
  joined(): Promise<void>;
}
