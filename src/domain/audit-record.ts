import type { Routing } from './decisions/route-order.ts';
import type { EventType, LedgerEvent } from './ledger-event.ts';
import type { SessionReport } from './session-report.ts';

export type AuditRecordType =
  | 'TASK_DISPATCHED'
  | 'RESPONSE_RECEIVED'
  | 'ROUTING_DECISION'
  | 'GUARD_RAIL_CHECK'
  | 'ROLLBACK_EVENT'
  | 'SESSION_SUMMARY';

/** One entry of the audit trail of a session, before it is chained to the others. Text of agents is no part of it. */
export interface AuditRecord {
  readonly type: AuditRecordType;
  /** In milliseconds since 1970. */
  readonly at: number;
  readonly task: LedgerEvent['taskId'];
  readonly actor: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The audit trail of a session, and the sender's name for each of its tasks. */
export interface AuditedSession {
  readonly records: readonly AuditRecord[];
  memberOf(task: AuditRecord['task']): string | null;
}

/** The audit trail that belongs to a report. */
export interface SessionAudit {
  /** Inside of the data folder. */
  readonly storagePath: string;
  readonly records: number;
  /** The hash of the newest record, in hexadecimal. */
  readonly sha256: string;
}

/** The events of a session that its audit trail is made of. */
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

/**
 * The audit trail of a session up to a report that is not recorded yet. The same events and report give the same records: a
 * trail that was half written before a crash is written again with the same bytes.
 */
export function auditRecords(events: readonly LedgerEvent[], report: SessionReport): readonly AuditRecord[] {
  const seen: Seen = { agents: new Map(), ends: new Map() };
  return [...events.flatMap((event) => recordsOf(event, seen)), summaryOf(report.completedAt, summaryFacts(report))];
}

/** The facts of a report that the event about it carries. */
export function summaryFacts({ signal, totals, spend, stop, completedAt }: SessionReport) {
  const at = new Date(completedAt).toISOString();
  return { signal, totals, costUsd: spend.costUsd, stop: stop?.cause ?? null, completedAt: at };
}

type SummaryFacts = ReturnType<typeof summaryFacts>;

function summaryOf(at: number, { signal, totals, costUsd, stop }: Omit<SummaryFacts, 'completedAt'>): AuditRecord {
  const data = { final_signal: signal, totals, actual_cost_usd: costUsd, stopped: stop };
  return { type: 'SESSION_SUMMARY', at, task: null, actor: 'dispatcher', data };
}

/** Facts of earlier events that later ones do not repeat. */
interface Seen {
  readonly agents: Map<unknown, unknown>;
  readonly ends: Map<LedgerEvent['taskId'], Readonly<Record<string, unknown>>>;
}

function recordsOf(event: LedgerEvent, seen: Seen): readonly AuditRecord[] {
  const { payload: of, taskId: task, actor, at } = event;
  const one = (type: AuditRecordType, data: AuditRecord['data']) => [{ type, at, task, actor, data }];
  switch (event.type) {
    case 'order.admitted':
      return one('ROUTING_DECISION', { agent: of.agent, sandbox: of.sandbox, ...routingOf(of.routing) });
    case 'order.unanswered':
      return one('ROUTING_DECISION', { agent: null, alternative: of.alternative });
    case 'task.claimed':
      seen.agents.set(of.run, of.agent);
      return [];
    case 'run.launched':
      return one('TASK_DISPATCHED', { run: of.run, agent: seen.agents.get(of.run) ?? null });
    case 'run.collected':
      return one('GUARD_RAIL_CHECK', { run: of.run, forbidden_writes: of.violations ?? [] });
    case 'run.verified':
      return one('GUARD_RAIL_CHECK', { run: of.run, checks: checksOf(of.results) });
    case 'order.rolled_back':
      return one('ROLLBACK_EVENT', { trigger: of.trigger, files: filesOf(of.files) });
    case 'order.settled':
      seen.ends.set(task, of);
      return [];
    case 'order.reported': {
      const { signal = null, code = null, isUnchecked = false } = seen.ends.get(task) ?? {};
      return one('RESPONSE_RECEIVED', { final_signal: signal, error_code: code, unchecked: isUnchecked });
    }
    case 'session.stopped':
      return one('GUARD_RAIL_CHECK', { stopped: of.cause });
    case 'session.reported': {
      const facts = of as unknown as SummaryFacts;
      return [summaryOf(Date.parse(facts.completedAt), facts)];
    }
    default:
      return [];
  }
}

/** The evidence of a choice that the order left to Baton. */
function routingOf(routing: unknown): object {
  if (routing === undefined) return {};
  const { reason, evidence } = routing as Routing;
  const candidates = evidence.map(({ agent, orders, successRate, firstTryRate, medianSeconds, medianCostUsd }) => ({
    agent,
    orders,
    success_rate: successRate,
    first_try_rate: firstTryRate,
    median_seconds: medianSeconds,
    median_cost_usd: medianCostUsd,
  }));
  return { chosen_by: 'auto', reason, candidates };
}

function checksOf(results: unknown): readonly object[] {
  return (results as readonly Record<string, unknown>[]).map(({ id, kind, result }) => ({ id, kind, result }));
}

function filesOf(files: unknown): readonly object[] {
  return (files as readonly Record<string, unknown>[]).map(({ path, status }) => ({ path, status }));
}
