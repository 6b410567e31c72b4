import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import type { LedgerEvent } from '../../domain/trace/ledger-event.ts';
import { lastSeq, selectEventsThat } from '../../ledger/statements/events.ts';
import { selectMeta } from '../../ledger/statements/meta.ts';
import type { Reader } from '../../ledger/tx.ts';
import { readEventsFilter } from '../read-events-filter.ts';
import type { FollowRequest } from '../requests.ts';
import { type EventFilter, eventFilter } from './event-filter.ts';

/** The position in the log at which a stream begins, and which events belong to it. */
export type StreamStart =
  | { readonly kind: 'stale'; readonly message: string; readonly project: string; readonly last: number }
  | {
      readonly kind: 'found';
      readonly after: number;
      readonly filter: EventFilter | null;
      /** A short read: the events above a seq, in order; empty only where the log ends. */
      readPage(after: number, limit: number): readonly LedgerEvent[];
    };

export function findStart(read: Reader, request: FollowRequest): StreamStart | Refusal {
  const last = lastSeq(read);
  const { after = last } = request;
  const filter = readEventsFilter(read, request);
  if (isRefusal(filter)) return filter;
  const stale = staleReason(read, request.project, { after, last });
  if (stale !== null) return { kind: 'stale', message: stale, project: projectOf(read), last };
  const readPage = (above: number, limit: number) => selectEventsThat(read, filter, { after: above, limit });
  return { kind: 'found', after, filter: eventFilter(filter), readPage };
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
