import type { RoutingChoice } from '../../domain/order/route-order.ts';
import type { AuditedSession } from '../../domain/session/audited-session.ts';
import type { SessionReport } from '../../domain/session/session-report.ts';
import type { LedgerEvent } from '../../domain/trace/ledger-event.ts';
import { FINAL_SIGNALS } from './words.ts';

type AuditRecordType =
  | 'TASK_DISPATCHED'
  | 'RESPONSE_RECEIVED'
  | 'ROUTING_DECISION'
  | 'GUARD_RAIL_CHECK'
  | 'ROLLBACK_EVENT'
  | 'SESSION_SUMMARY';

type Data = Readonly<Record<string, unknown>>;

/** An entry of the audit trail before it is chained to the others. */
export interface AuditRecord {
  readonly record_type: AuditRecordType;
  readonly session_id: string;
  /** RFC 3339 */
  readonly timestamp: string;
  /** The sender's name for the task. */
  readonly task_id: string | null;
  readonly task: LedgerEvent['taskId'];
  readonly actor: string;
  readonly data: Data;
}

/**
 * aop:session-report: the audit trail of a session up to a report that is not recorded yet. The same events and report give the same
 * records: a trail that was half written before a crash is written again with the same bytes.
 */
export function encodeAudit(report: SessionReport, { events, memberOf }: AuditedSession): readonly AuditRecord[] {
  const seen: EarlierFacts = { agents: new Map(), ends: new Map() };
  const { verdict, totals, spend, stop, completedAt } = report;
  const summary = { signal: FINAL_SIGNALS[verdict], totals, costUsd: spend.costUsd, stop: stop?.cause ?? null };
  const entries = [...events.flatMap((event) => entriesOf(event, seen)), summaryEntry(completedAt, summary)];
  return entries.map(({ type, at, task, actor, data }) => ({
    record_type: type,
    session_id: report.sessionId,
    timestamp: new Date(at).toISOString(),
    task_id: memberOf(task),
    task,
    actor,
    data,
  }));
}

interface Entry extends Pick<AuditRecord, 'task' | 'actor' | 'data'> {
  readonly type: AuditRecordType;
  readonly at: number;
}

/** Facts of earlier events that later ones do not repeat. */
interface EarlierFacts {
  readonly agents: Map<unknown, unknown>;
  readonly ends: Map<LedgerEvent['taskId'], Data>;
}

/** The payloads of events have AOP's words already: the log keeps the spelling that it was written with. */
function entriesOf(event: LedgerEvent, seen: EarlierFacts): readonly Entry[] {
  const { payload: of, taskId: task, actor, at } = event;
  const one = (type: AuditRecordType, data: Data) => [{ type, at, task, actor, data }];
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
    case 'session.reported':
      return [summaryEntry(Date.parse(String(of.completedAt)), of)];
    default:
      return [];
  }
}

function summaryEntry(at: number, { signal, totals, costUsd, stop }: Data): Entry {
  const data = { final_signal: signal, totals, actual_cost_usd: costUsd, stopped: stop };
  return { type: 'SESSION_SUMMARY', at, task: null, actor: 'dispatcher', data };
}

/** The evidence of a choice that the order left to Baton. */
function routingOf(routing: unknown): object {
  if (routing === undefined) return {};
  const { reason, evidence } = routing as RoutingChoice;
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
