import type { OrderTerms, OrderText } from '../domain/order/decide-order.ts';
import type { Order, Provenance, SentMessage } from '../domain/order/order.ts';
import type { Report } from '../domain/order/report.ts';
import type { NoteUnreadVersion } from '../domain/order/round.ts';
import type { Refusal } from '../domain/refusal.ts';
import type { AuditedSession, SessionAudit } from '../domain/session/audited-session.ts';
import type { ReadSession, SessionForm } from '../domain/session/session-file.ts';
import type { SessionReport } from '../domain/session/session-report.ts';

/** A message that its receiver has decoded, with the warnings about it. Only an edge reads it. */
export interface DecodedMessage {
  readonly message: object;
  readonly warnings: readonly { readonly code: string; readonly path: string; readonly message: string }[];
}

/** The protocols that orders are written in, as far as the kernel needs them; the composition root hands them in. */
export interface OrderEdge {
  /** `decoded` is the TASK in the text, where its receiver has decoded it. */
  readOrder(text: string, terms: OrderTerms, decoded?: DecodedMessage): OrderText | Refusal;
  /** The agent of another node that a message names as its target, as emma@tower; null where it names none. */
  addressOf(text: string): string | null;
  /** The message of an order that an older Baton stored as its text alone. */
  readStoredMessage(order: Order, provenance: Provenance, orderedAt: number): SentMessage;
  readonly readSession: ReadSession;
  /** Replaces the `member` and `field` of a refused session. */
  locateInSession(refusal: Refusal, form: SessionForm): Refusal;
  /** Replaces the `field` of a refused order by its path: in the message of the text, else in the request. */
  locate(refusal: Refusal, text: string | null): Refusal;
  /** Writes the answer to an order to runs/TASK/response.json. */
  publishReport(order: Order, report: Report): Promise<void>;
  /** Writes the audit trail and the final report of a session; repeated, it writes the same. */
  publishSession(report: SessionReport, audited: AuditedSession): Promise<SessionAudit>;
  readonly noteUnreadVersion: NoteUnreadVersion;
}
