import type { LedgerEvent } from '../../../domain/ledger-event.ts';
import type { Run } from '../../../domain/run.ts';

export type EventFilter = (event: LedgerEvent) => boolean;

export interface WantedEvents {
  readonly taskId: string | null;
  /** The run whose events are wanted. */
  readonly session: Run | null;
  /** Types, and beginnings of types that end in `*`; empty for all. */
  readonly types: readonly string[];
}

/** Null where everything is wanted. */
export function eventFilter({ taskId, session, types }: WantedEvents): EventFilter | null {
  const filters: EventFilter[] = [];
  if (taskId !== null) filters.push((event) => event.taskId === taskId);
  if (session !== null) filters.push(isOfRun(session));
  if (types.length > 0) filters.push(isOfType(types));
  return filters.length === 0 ? null : (event) => filters.every((matches) => matches(event));
}

function isOfType(types: readonly string[]): EventFilter {
  const exact = new Set(types.filter((type) => !type.endsWith('*')));
  const beginnings = types.filter((type) => type.endsWith('*')).map((type) => type.slice(0, -1));
  return ({ type }) => exact.has(type) || beginnings.some((beginning) => type.startsWith(beginning));
}

/** What names the run, and what happened to its task while it held it: many events name no run. */
function isOfRun(run: Run): EventFilter {
  let endedAt = run.endedAt;
  return ({ taskId, type, at, payload }) => {
    if (taskId !== run.taskId) return false;
    if (payload.run !== undefined && payload.run !== null) {
      const isOwn = payload.run === run.id;
      if (isOwn && type === 'run.ended') endedAt = at;
      return isOwn;
    }
    return at >= run.startedAt && (endedAt === null || at <= endedAt);
  };
}
