import type { LedgerEvent } from '../../../domain/ledger-event.ts';
import { isRefusal, type Refusal, refuse } from '../../../domain/refusal.ts';
import { lastSeq, selectEventsThat } from '../../../ledger/statements/events.ts';
import { selectMeta } from '../../../ledger/statements/meta.ts';
import type { Reader } from '../../../ledger/tx.ts';
import { readEventsFilter } from '../../read-events-filter.ts';
import { type EventFilter, eventFilter } from './event-filter.ts';

/** What a reader asks for, as it stands in the query. */
export interface PlaceRequest {
  readonly after?: string | undefined;
  readonly since?: string | undefined;
  readonly task?: string | undefined;
  readonly run?: string | undefined;
  readonly session?: string | undefined;
  readonly type?: string | undefined;
  readonly project?: string | undefined;
}

export type Place =
  | { readonly kind: 'stale'; readonly message: string; readonly project: string; readonly last: number }
  | {
      readonly kind: 'found';
      readonly after: number;
      readonly filter: EventFilter | null;
      readPage(after: number, limit: number): readonly LedgerEvent[];
    };

/** Where a reader goes on, and what it wants; without a cursor it begins now. */
export function findPlace(read: Reader, request: PlaceRequest, lastEventId: unknown): Place | Refusal {
  const last = lastSeq(read);
  const after = readCursor(request, lastEventId) ?? last;
  if (isRefusal(after)) return after;
  const filter = readEventsFilter(read, request);
  if (isRefusal(filter)) return filter;
  const stale = staleReason(read, request.project, { after, last });
  if (stale !== null) return { kind: 'stale', message: stale, project: projectOf(read), last };
  const readPage = (above: number, limit: number) => selectEventsThat(read, filter, { after: above, limit });
  return { kind: 'found', after, filter: eventFilter(filter), readPage };
}

/** A browser that comes back asks with its old address: what it has had since stands in the header. */
function readCursor({ after }: PlaceRequest, lastEventId: unknown): number | Refusal | null {
  const cursor = typeof lastEventId === 'string' && lastEventId !== '' ? lastEventId : after;
  if (cursor === undefined) return null;
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor);
  return refuse('invalid_argument', 'Last-Event-ID is the id of an event, a whole number');
}

function staleReason(
  read: Reader,
  project: string | undefined,
  { after, last }: { readonly after: number; readonly last: number },
): string | null {
  const own = projectOf(read);
  if (project !== undefined && project !== own) return `this is the log of ${own}, not of ${project}`;
  return after > last ? `the log ends at ${last}: ${after} is not of this log, or of one that was restored` : null;
}

function projectOf(read: Reader): string {
  return selectMeta(read, 'project') ?? '';
}
