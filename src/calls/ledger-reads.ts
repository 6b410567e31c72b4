import type { Ledger } from '../ledger/ledger.ts';
import { type OverviewParts, overviewCall } from './overview/overview-call.ts';
import { reportCalls } from './overview/report-calls.ts';
import { searchCall } from './overview/search-call.ts';
import { sessionReads } from './session/session-views.ts';
import { readCalls } from './task/read-calls.ts';
import type { ReadParts } from './task/status-call.ts';

export type LedgerReadParts = Omit<OverviewParts, 'read'>;

/** The reads of a whole node: those that any process could answer, and those that only a node can. */
export function ledgerReads(ledger: Ledger, parts: LedgerReadParts) {
  const all = { ...parts, read: ledger.read, fullSinceMs: () => ledger.fullSinceMs };
  return { ...plainReads(all), ...overviewCall(all), ...searchCall(ledger.read) };
}

/** The reads that any process can answer from the ledger alone. */
export function plainReads(parts: ReadParts) {
  return { ...readCalls(parts), ...sessionReads(parts), ...reportCalls(parts) };
}
