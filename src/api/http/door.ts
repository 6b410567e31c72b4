import type { Timer } from '../../platform/timer.ts';
import type { NodeClient } from '../contract.ts';
import type { EventFeed } from './sse/event-feed.ts';
import type { EventSource } from './sse/event-source.ts';
import type { Visitors } from './visitors.ts';

/** What the routes of a door share. */
export interface Door {
  readonly client: NodeClient;
  /** For what only looks. */
  readonly ledger: EventSource;
  readonly feed: EventFeed;
  readonly timer: Timer;
  readonly visitors: Pick<Visitors, 'holderOf'>;
  isReady(): boolean;
  onFault(error: unknown): void;
}
