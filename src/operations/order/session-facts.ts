import { assertNever } from '../../domain/assert-never.ts';
import type { Order } from '../../domain/order/order.ts';
import { SIGNALS } from '../../domain/order/record-words.ts';
import { type Refusal, refuse, refuseField } from '../../domain/refusal.ts';
import type { SessionAudit } from '../../domain/session/audited-session.ts';
import { replaySession, type Session, type SessionFact } from '../../domain/session/session.ts';
import type { SessionReport } from '../../domain/session/session-report.ts';
import type { Task, TaskName } from '../../domain/task/task.ts';
import type { LedgerEvent } from '../../domain/trace/ledger-event.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import { insertEvent, type NewEvent } from '../../ledger/statements/events.ts';
import {
  closeSession,
  countOpenOrders,
  insertSessionFact,
  openSession,
  SessionTasks,
  selectSession,
  selectSessionFacts,
  updateSessionAudit,
} from '../../ledger/statements/sessions.ts';
import type { Reader, Tx } from '../../ledger/tx.ts';

/** The open session with this id, replayed; null for any other. */
export function openSessionOf(tx: Reader, sessionId: string): Session | null {
  return selectSession(tx, sessionId)?.isOpen ? replaySession(selectSessionFacts(tx, sessionId)) : null;
}

/** Writes a fact with its event, and opens or closes the session by it. */
export function writeSessionFact(tx: Tx, sessionId: string, fact: SessionFact): LedgerEvent {
  if (fact.kind === 'submitted' || fact.kind === 'reopened') openSession(tx, { sessionId, ...fact.terms });
  if (fact.kind === 'reported') closeSession(tx, sessionId);
  insertSessionFact(tx, sessionId, fact);
  return insertEvent(tx, { sessionId, ...eventOf(fact) });
}

function eventOf(fact: SessionFact): NewEvent {
  const about = { actor: 'by' in fact ? fact.by : 'dispatcher', taskId: null };
  switch (fact.kind) {
    case 'submitted': {
      const { name, pattern } = fact.terms;
      return { type: 'session.submitted', ...about, payload: { name, pattern, tasks: fact.tasks } };
    }
    case 'joined':
      return { type: 'session.joined', ...about, taskId: fact.task, payload: { member: fact.member } };
    case 'stopped':
      return { type: 'session.stopped', ...about, payload: { cause: fact.cause, message: fact.message } };
    case 'reopened':
      return { type: 'session.reopened', ...about, payload: { tasks: fact.tasks.length } };
    case 'reported':
      return { type: 'session.reported', ...about, payload: summaryOf(fact.report) };
    default:
      return assertNever(fact);
  }
}

function summaryOf({ verdict, totals, spend, stop, completedAt }: SessionReport): NewEvent['payload'] {
  const at = new Date(completedAt).toISOString();
  return { signal: SIGNALS[verdict], totals, costUsd: spend.costUsd, stop: stop?.cause ?? null, completedAt: at };
}

/** Nothing is added to a session that is being stopped. */
export function refuseStopping(tx: Reader, sessionId: string): Refusal | null {
  if ((openSessionOf(tx, sessionId)?.stop ?? null) === null) return null;
  const refusal = refuseField('already_claimed', `session ${sessionId} is being stopped`, { kind: 'session-id' });
  return { ...refusal, hint: `wait until it is over: baton session show ${sessionId}` };
}

/** An order for an open session belongs to it from now on. */
export function joinSession(tx: Tx, { id, createdBy }: Task, { sessionId, taskId }: Order): readonly LedgerEvent[] {
  if (!selectSession(tx, sessionId)?.isOpen) return [];
  return [addMember(tx, sessionId, { member: taskId, task: id, by: createdBy })];
}

interface NewMember {
  readonly member: string;
  readonly task: TaskName;
  readonly by: string;
}

export function addMember(tx: Tx, sessionId: string, added: NewMember): LedgerEvent {
  new SessionTasks(tx, sessionId).put(added.member, added.task);
  return writeSessionFact(tx, sessionId, { kind: 'joined', ...added });
}

export interface ReportedSession {
  readonly report: SessionReport;
  readonly audit: SessionAudit;
}

/** Ends a session with its report. Refused if a task was added or reopened meanwhile. */
export const reportSession: Command<ReportedSession, { readonly events: readonly LedgerEvent[] }> = (tx, facts) => {
  const { report, audit } = facts;
  const { sessionId } = report;
  if (!selectSession(tx, sessionId)?.isOpen) return refuse('not_running', `session ${sessionId} is over`);
  if (countOpenOrders(tx, sessionId) > 0)
    return refuse('dependencies_open', `session ${sessionId} has open tasks again`);
  updateSessionAudit(tx, sessionId, audit);
  return { events: [writeSessionFact(tx, sessionId, { kind: 'reported', report })] };
};
