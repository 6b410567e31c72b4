import type { AgentFacts } from '../domain/agent.ts';
import type { AuditedSession, SessionAudit } from '../domain/audit-record.ts';
import type { OrderReading, OrderTerms } from '../domain/decisions/decide-order.ts';
import type { VersionFallback } from '../domain/execution/fact.ts';
import type { Order, Provenance, SentMessage } from '../domain/order.ts';
import type { Refusal } from '../domain/refusal.ts';
import type { Report } from '../domain/report.ts';
import type { ReadSession, SessionForm } from '../domain/session-file.ts';
import type { SessionReport } from '../domain/session-report.ts';

/** The protocols that orders are written in, as far as the kernel needs them; the composition root hands them in. */
export interface OrderEdge {
  readOrder(text: string, terms: OrderTerms): OrderReading | Refusal;
  /** The message of an order that an older Baton stored as its text alone. */
  readMessage(order: Order, provenance: Provenance, orderedAt: number): SentMessage;
  readonly readSession: ReadSession;
  /** Replaces the `member` and `field` of a refused session. */
  locateInSession(refusal: Refusal, form: SessionForm): Refusal;
  /** Replaces the `field` of a refused order by its path in the message. */
  locate(refusal: Refusal): Refusal;
  /** Writes the answer to an order to runs/TASK/response.json. */
  publishReport(order: Order, report: Report): Promise<void>;
  /** Writes the audit trail and the final report of a session; repeated, it writes the same. */
  publishSession(report: SessionReport, audited: AuditedSession): Promise<SessionAudit>;
  /** The notice for the sender of an order whose agent does not read its version; null where it does. */
  noteLackingV2(order: {
    readonly order: Order;
    readonly message: SentMessage;
    readonly agent: AgentFacts | undefined;
    /** The index of the alternative that the agent stands for; null is the target itself. */
    readonly alternative: number | null;
    readonly atMs: number;
  }): VersionFallback | null;
}
