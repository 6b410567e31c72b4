import { EVENT_TYPES_KEPT_MAX } from '../domain/limits.ts';
import type { Channel } from '../domain/task/channel.ts';
import { selectOrder } from '../ledger/statements/orders.ts';
import { selectLastFact } from '../ledger/statements/run-facts.ts';
import { selectRun } from '../ledger/statements/runs.ts';
import type { OrderWorld } from './order-world.ts';

type EventTypes = Readonly<Record<string, unknown>>;

/** The event types that a run may send: those that its order was accepted with. Kept by run, as a codec prepares each set once. */
export class OrderEventTypes {
  readonly #world: Pick<OrderWorld, 'ledger' | 'roster'>;
  readonly #ofRuns = new Map<string, EventTypes>();

  constructor(world: Pick<OrderWorld, 'ledger' | 'roster'>) {
    this.#world = world;
  }

  /** A sender without a run has the types of the present configuration. */
  of(channel: Channel): EventTypes {
    const runId = channel.kind === 'run' ? channel.holder.runId : channel.run;
    if (runId === null) return this.#world.roster.settings().eventTypes;
    const known = this.#ofRuns.get(runId) ?? this.#read(runId);
    if (known === null) return this.#world.roster.settings().eventTypes;
    this.#ofRuns.set(runId, known);
    const [oldest = ''] = this.#ofRuns.keys();
    if (this.#ofRuns.size > EVENT_TYPES_KEPT_MAX) this.#ofRuns.delete(oldest);
    return known;
  }

  /** Null for a run without an order, and for an order that is older than this setting. */
  #read(runId: string): EventTypes | null {
    const { read } = this.#world.ledger;
    const run = selectRun(read, runId);
    const row = run && selectOrder(read, run.taskId);
    return (row && selectLastFact(read, row, 'ordered')?.order.settings.eventTypes) ?? null;
  }
}
