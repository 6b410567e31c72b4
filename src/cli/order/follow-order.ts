import type { ActivityView, EventView } from '../../api/contract.ts';
import type { NodeClient } from '../../api/node-client.ts';
import type { LogPage, OrderReport } from '../../api/order/order-contract.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { wallMs } from '../../platform/terminal.ts';
import { isEncodedType } from '../../protocols/aop/encode-event.ts';

/** One thing to show of an order while it runs. */
export type OrderUpdate =
  | {
      readonly kind: 'event';
      readonly event: EventView;
      /** The AOP EVENT that the sender of the order gets for it. */
      readonly message: object | null;
    }
  | ({ readonly kind: 'output' } & Pick<LogPage, 'entries'>)
  /** Nothing else was there to show for a while. */
  | { readonly kind: 'activity'; readonly activity: ActivityView }
  /** The same while no agent runs: Baton's checks may take long. */
  | { readonly kind: 'checking'; readonly isAfter: boolean; readonly forMs: number }
  | { readonly kind: 'report'; readonly report: OrderReport }
  | { readonly kind: 'refusal'; readonly refusal: Refusal };

export interface Following {
  readonly client: NodeClient;
  readonly task: string;
  readonly timer: WakingTimer;
  /** Number of the last event already shown. */
  readonly after: number;
  /** Position in the output up to which it is known; 0 shows all. */
  readonly printed?: number;
  /** The last round that is over: only a later one is reported. 0 for a task that is just being ordered. */
  readonly roundBefore?: number;
  /** A program reads only these types of events and the report, so nothing else is asked for. Else everything is shown. */
  readonly types?: string;
}

/** Its pauses may end early, because something changed. */
export interface WakingTimer {
  pause(milliseconds: number): Promise<unknown>;
}

/** An event ends the pause; output of the agent, which is no event, is asked for at this pace. */
const PAUSE_MS_MIN = 20;
const PAUSE_MS_MAX = 160;
/** Without output to ask for: a question costs the node a millisecond while it starts the agent, and an event ends the pause. */
const PROGRAM_PAUSE_MS_MIN = 160;
const PROGRAM_PAUSE_MS_MAX = 640;
const PAUSE_GROWTH = 1.5;
/** Silence after which the activity of the run is shown; then again after twice the time. */
const QUIET_MS_MIN = 5_000;

/** Events, output and report of an order, in order, until it is over. */
export async function* followOrder({ client, task, timer, ...from }: Following): AsyncGenerator<OrderUpdate> {
  const { types } = from;
  const isForProgram = types !== undefined;
  const wanted = { task, ...(isForProgram && { type: types }) };
  let after = from.after;
  let printed = from.printed ?? 0;
  const pauseMsMin = isForProgram ? PROGRAM_PAUSE_MS_MIN : PAUSE_MS_MIN;
  let pauseMs = pauseMsMin;
  const quiet = new Quiet();
  let lastType: EventView['type'] | null = null;
  let isBegun = false;
  let report = await client.orderReport({ task });
  for (;;) {
    // Read after the report: everything that happened before a final report is then shown before it.
    const page = await client.listEvents({ after, ...wanted });
    if (isRefusal(page)) return yield { kind: 'refusal', refusal: page };
    const { events } = page;
    after = events.at(-1)?.eventId ?? after;
    lastType = events.at(-1)?.type ?? lastType;
    isBegun ||= events.some(({ type }) => type === 'order.snapshotted');
    // An order is over with this event, and all events before it are known by now.
    if (events.some(({ type }) => type === 'order.reported')) report = await client.orderReport({ task });
    const begun = events.findIndex(({ type }) => type === 'run.launched') + 1;
    for (const event of events.slice(0, begun)) yield eventUpdate(event);
    // Output belongs between the launch of the agent and the events after it.
    for await (const page of isForProgram ? [] : pagesOf(client, task, printed)) {
      printed = page.next;
      quiet.end();
      yield { kind: 'output', entries: page.entries };
    }
    for (const event of events.slice(begun)) yield eventUpdate(event);
    if (isRefusal(report) && from.roundBefore === undefined) return yield { kind: 'refusal', refusal: report };
    if (!isRefusal(report) && report.isOver && report.round > (from.roundBefore ?? 0)) {
      return yield { kind: 'report', report };
    }
    if (events.length > 0) {
      pauseMs = pauseMsMin;
      quiet.end();
    } else {
      await timer.pause(pauseMs);
      const isLong = !isForProgram && quiet.isLong();
      const activity = isLong ? await activityNow(client, task) : null;
      const isAfter = lastType === 'run.collected';
      if (activity && !isAfter) yield { kind: 'activity', activity };
      else if (isLong && (isAfter || !isBegun)) yield { kind: 'checking', isAfter, forMs: quiet.forMs };
      pauseMs = Math.min(pauseMs * PAUSE_GROWTH, isForProgram ? PROGRAM_PAUSE_MS_MAX : PAUSE_MS_MAX);
    }
  }
}

/** The time in which there was nothing to show. */
class Quiet {
  #sinceMs = wallMs();
  #dueMs = QUIET_MS_MIN;

  end(): void {
    this.#sinceMs = wallMs();
    this.#dueMs = QUIET_MS_MIN;
  }

  get forMs(): number {
    return wallMs() - this.#sinceMs;
  }

  /** Whether something is due to be said. */
  isLong(): boolean {
    if (wallMs() - this.#sinceMs < this.#dueMs) return false;
    this.#dueMs *= 2;
    return true;
  }
}

async function activityNow(client: NodeClient, task: string): Promise<ActivityView | null> {
  const detail = await client.showTask({ task });
  return isRefusal(detail) ? null : (detail.runs.at(-1)?.activity ?? null);
}

function eventUpdate(event: EventView): OrderUpdate {
  const message = isEncodedType(event.type) ? (event.payload.message as object | undefined) : undefined;
  return { kind: 'event', event, message: message ?? null };
}

/** Page by page: an agent may have printed more than fits in memory. */
async function* pagesOf(client: NodeClient, task: string, from: number) {
  for (let after = from; ; ) {
    const page = await client.readLog({ task, after });
    if (isRefusal(page) || page.next === after) return;
    after = page.next;
    yield page;
  }
}
