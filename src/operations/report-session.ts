import type { LedgerEvent } from '../domain/ledger-event.ts';
import { refuse } from '../domain/refusal.ts';
import type { SessionReport } from '../domain/session-report.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { countOpenOrders, selectSession } from '../ledger/statements/sessions.ts';
import { writeSessionFact } from './session-facts.ts';

/** Ends a session with its report. Refused if a task was added or reopened meanwhile. */
export const reportSession: Command<SessionReport, { readonly events: readonly LedgerEvent[] }> = (tx, report) => {
  const { sessionId } = report;
  if (!selectSession(tx, sessionId)?.isOpen) return refuse('not_running', `session ${sessionId} is over`);
  if (countOpenOrders(tx, sessionId) > 0) return refuse('changed_since', `session ${sessionId} has open tasks again`);
  return { events: [writeSessionFact(tx, sessionId, { kind: 'reported', report })] };
};
