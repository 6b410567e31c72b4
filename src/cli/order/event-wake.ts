import type { NodeClient } from '../../api/node-client.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { waitAtMost } from '../../platform/timer.ts';
import type { WakingTimer } from './follow-order.ts';

type EventsOf = ({ readonly task: string } | { readonly session: string }) & { readonly type?: string };

/** Pauses that end early when an event of a node elsewhere arrives. Without its stream they take their whole time. */
export class EventWake implements WakingTimer {
  readonly #over = new AbortController();
  #next = Promise.withResolvers<void>();

  /** Over at once if an event arrived since the last pause. */
  async pause(milliseconds: number): Promise<boolean> {
    const isWoken = await waitAtMost(this.#next.promise, milliseconds);
    this.#next = Promise.withResolvers();
    return isWoken;
  }

  /** Listens to the events of a task or a session; of those that come from now on, none is missed. */
  async listen(client: NodeClient, about: EventsOf): Promise<void> {
    try {
      const events = await client.follow(about, this.#over.signal);
      if (!isRefusal(events)) void this.#wakeAt(events);
    } catch {
      // The calls of the command find out what is wrong with the node.
    }
  }

  async #wakeAt(events: AsyncIterable<unknown>): Promise<void> {
    try {
      for await (const _ of events) this.#next.resolve();
    } catch {
      // The node went away: whoever pauses asks again soon.
    }
  }

  close(): void {
    this.#over.abort();
  }
}
