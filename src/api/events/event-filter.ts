import type { LedgerEvent } from '../../domain/trace/ledger-event.ts';
import type { EventsFilter } from '../../ledger/statements/events.ts';

export type EventFilter = (event: LedgerEvent) => boolean;

/** The same selection as the statement's, for new events; null where all events pass. */
export function eventFilter({ taskId, runId, sessionId, types }: Omit<EventsFilter, 'sinceMs'>): EventFilter | null {
  const filters: EventFilter[] = [];
  if (taskId !== null) filters.push((event) => event.taskId === taskId);
  if (runId !== null) filters.push((event) => event.runId === runId);
  if (sessionId !== null) filters.push((event) => event.sessionId === sessionId);
  const wanted = types && new Set(types);
  if (wanted) filters.push((event) => wanted.has(event.type));
  return filters.length === 0 ? null : (event) => filters.every((matches) => matches(event));
}
