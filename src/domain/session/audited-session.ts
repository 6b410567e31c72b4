import type { EventType, LedgerEvent } from '../trace/ledger-event.ts';

/** The events of a session that its audit trail is made of, oldest first, and the sender's name for each of its tasks. */
export interface AuditedSession {
  readonly events: readonly LedgerEvent[];
  memberOf(task: LedgerEvent['taskId']): string | null;
}

/** The audit trail that belongs to a report. */
export interface SessionAudit {
  /** Inside of the data folder. */
  readonly storagePath: string;
  readonly records: number;
  /** The hash of the newest record, in hexadecimal. */
  readonly sha256: string;
}

/** Text of agents is no part of them. */
export const AUDITED_EVENTS: readonly EventType[] = [
  'order.admitted',
  'order.unanswered',
  'task.claimed',
  'run.launched',
  'run.collected',
  'run.verified',
  'order.rolled_back',
  'order.settled',
  'order.reported',
  'session.stopped',
  'session.reported',
];
