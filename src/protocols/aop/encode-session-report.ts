import { maskWritten } from '../../domain/secrets/mask-written.ts';
import type { SessionAudit } from '../../domain/session/audited-session.ts';
import { type SessionMember, type SessionReport, stateOf, usdBy } from '../../domain/session/session-report.ts';
import type { SessionFinalReportEvent } from './schema/events.ts';
import { aopCode, FINAL_SIGNALS, TASK_STATES } from './words.ts';

/** AOP §10, aop:session-report. */
export function encodeSessionReport(report: SessionReport, audit: SessionAudit | null): SessionFinalReportEvent {
  const { sessionId, pattern, verdict, totals, members } = report;
  return {
    aop_version: '2.0.2-C',
    schema_version: '2.0.2',
    protocol_family: 'AOP',
    message_type: 'EVENT',
    event: 'SESSION_FINAL_REPORT',
    session_id: sessionId,
    timestamp: new Date(report.completedAt).toISOString(),
    workflow_pattern: pattern,
    final_signal: FINAL_SIGNALS[verdict],
    totals: { ...totals },
    tasks: members.map(taskOf),
    delegation_graph: graphOf(members),
    cost_summary: costSummaryOf(report),
    ...(audit && {
      audit_trail: { storage_path: audit.storagePath, records: audit.records, sha256: audit.sha256 },
    }),
    extensions: { x_baton: extensionOf(report) },
  };
}

function taskOf(member: SessionMember): NonNullable<SessionFinalReportEvent['tasks']>[number] {
  const { id, agent, end } = member;
  return {
    task_id: id,
    agent: agent ?? null,
    state: TASK_STATES[stateOf(member)],
    final_signal: end && FINAL_SIGNALS[end.verdict],
    attempts: end?.attempts ?? 0,
    duration_seconds: durationSeconds(member),
    error_code: end?.code ? aopCode(end.code) : null,
  };
}

const MS_PER_SECOND = 1_000;

/** 0 for a task that never ran. */
export function durationSeconds({ end }: Pick<SessionMember, 'end'>): number {
  if (end === null || end.attempts === 0) return 0;
  return Math.max(0, end.completedAt - end.startedAt) / MS_PER_SECOND;
}

/** Delegations, and dependencies from the task that waits to the one that it waits for. */
function graphOf(members: readonly SessionMember[]): SessionFinalReportEvent['delegation_graph'] {
  return {
    nodes: members.map(({ id, agent, depth }) => ({ task_id: id, agent: agent ?? null, depth })),
    edges: members.flatMap(({ id, parent, after }) => [
      ...(parent === null ? [] : [{ from: parent, to: id, kind: 'DELEGATES' as const }]),
      ...after.map((needed) => ({ from: id, to: needed, kind: 'DEPENDS' as const })),
    ]),
  };
}

/** Dollars by provider and by model add up to the whole. */
export function costSummaryOf({ spend }: Pick<SessionReport, 'spend'>) {
  return {
    estimated_cost_usd: spend.estimatedUsd,
    actual_cost_usd: spend.costUsd,
    tokens_input: spend.tokensInput,
    tokens_output: spend.tokensOutput,
    by_provider: { ...usdBy('provider', spend.models) },
    by_model: { ...usdBy('model', spend.models) },
  };
}

/** Findings that the document has no field for. */
function extensionOf({ name, stop, startedAt, members, spend, evidence = [] }: SessionReport): Record<string, unknown> {
  return {
    ...(name !== '' && { name }),
    started_at: new Date(startedAt).toISOString(),
    stopped: stop && { cause: stop.cause, by: stop.by, message: stop.message },
    tasks: Object.fromEntries(members.map(({ id, task }) => [id, task])),
    evidence: encodeEvidence(evidence, members),
    unchecked: members.filter(({ end }) => end?.verdict === 'unchecked').map(({ id }) => id),
    models: spend.models.map(({ provider, model, costUsd, tokensInput, tokensOutput }) => {
      return { provider, model, cost_usd: costUsd, tokens_input: tokensInput, tokens_output: tokensOutput };
    }),
  };
}

/** Riskiest first. */
export function encodeEvidence(evidence: NonNullable<SessionReport['evidence']>, members: readonly SessionMember[]) {
  const taskOfMember = new Map(members.map(({ id, task }) => [id, task]));
  return evidence.map(({ kind, member, text, details }) => ({
    kind,
    task_id: member,
    id: taskOfMember.get(member) ?? member,
    text,
    details: details.map(maskWritten),
  }));
}
