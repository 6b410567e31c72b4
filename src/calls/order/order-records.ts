import type { LogEntry, LogPage } from '../../api/order/order-contract.ts';
import { readRawLog, readRunLog } from '../../dispatch/attempt/run-log.ts';
import type { Dispatcher } from '../../dispatch/dispatcher.ts';
import type { OrderRunner } from '../../dispatch/order-runner.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import type { Task } from '../../domain/task/task.ts';
import type { StoryEntry } from '../../domain/trace/story-entry.ts';
import { selectSentTask } from '../../ledger/statements/federation/sent-tasks.ts';
import { selectOrder } from '../../ledger/statements/orders.ts';
import { findTask } from '../../operations/task/find-task.ts';
import type { OrderOffers } from '../../orders/order-offers.ts';
import type { OrderWorld } from '../../orders/order-world.ts';
import type { SenderCalls } from '../../remote/sender/sender-calls.ts';
import type { ExchangeRunner } from '../../reviews/exchange-runner.ts';
import type { SessionRunner } from '../../sessions/session-runner.ts';
import type { Awake } from '../../sessions/session-store.ts';
import type { OverlapRadar } from '../../work/overlap-radar.ts';

/** The parts of a node that its calls about orders use. */
export interface OrderParts {
  readonly world: OrderWorld;
  readonly awake: Awake;
  readonly overlaps: OverlapRadar;
  readonly runner: OrderRunner;
  /** Runs accepted orders; null in a node that lives for one command. */
  readonly dispatcher: Dispatcher | null;
  readonly sessions: SessionRunner;
  /** Orders that were planned for people who are asked about them. */
  readonly offers: OrderOffers;
  /** Orders for other nodes. */
  readonly remote: SenderCalls;
  /** Reports orders that are settled, and ends those that are to stop. */
  settle(): Promise<void>;
  /** Loaded with the first request. */
  exchanges(): Promise<ExchangeRunner>;
}

/** Has a task run; a node that lives for one command sends an order that is for another node. */
export async function begin({ dispatcher, runner, world }: OrderParts, { id }: Pick<Task, 'id'>): Promise<void> {
  dispatcher?.carry(id);
  if (dispatcher === null && selectSentTask(world.ledger.read, id) !== null) await runner.drive(id);
}

/** The output of a task's agents from a position on. */
export function logPage(
  world: OrderWorld,
  reference: string,
  { after = 0, before, raw = false }: { readonly after?: number; readonly before?: number; readonly raw?: boolean },
): LogPage | Refusal {
  const task = findTask(world.ledger.read, reference);
  if (isRefusal(task)) return task;
  const isEnd = selectOrder(world.ledger.read, task.id)?.isOpen !== true;
  const { entries, ...page } = (raw ? readRawLog : readRunLog)(
    world.dataFolder,
    task.id,
    before === undefined ? { after } : { before },
  );
  return { ...page, entries: entries.map(viewEntry), isEnd };
}

function viewEntry({ at, ...entry }: StoryEntry): LogEntry {
  return { ...entry, at: at === null ? null : new Date(at).toISOString() };
}
