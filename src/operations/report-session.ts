import type { SessionAudit } from '../domain/audit-record.ts';
import type { LedgerEvent } from '../domain/ledger-event.ts';
import { refuse } from '../domain/refusal.ts';
import type { SessionReport } from '../domain/session-report.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { countOpenOrders, selectSession, updateSessionAudit } from '../ledger/statements/sessions.ts';
import { writeSessionFact } from './session-facts.ts';

export interface ReportedSession {
  readonly report: SessionReport;
  readonly audit: SessionAudit;
}

/** Ends a session with its report. Refused if a task was added or reopened meanwhile. */
export const reportSession: Command<ReportedSession, { readonly events: readonly LedgerEvent[] }> = (tx, facts) => {
  const { report, audit } = facts;
  const { sessionId } = report;
  if (!selectSession(tx, sessionId)?.isOpen) return refuse('not_running', `session ${sessionId} is over`);
  if (countOpenOrders(tx, sessionId) > 0) return refuse('changed_since', `session ${sessionId} has open tasks again`);
  updateSessionAudit(tx, sessionId, audit);
  return { events: [writeSessionFact(tx, sessionId, { kind: 'reported', report })] };
};
