import { assertNever } from '../domain/assert-never.ts';
import type { Fact } from '../domain/execution/fact.ts';
import type { EventType } from '../domain/ledger-event.ts';

/** What the log calls a fact. */
export const EVENT_OF: Readonly<Record<Fact['kind'], EventType>> = {
  admitted: 'order.admitted',
  snapshotted: 'order.snapshotted',
  unanswered: 'order.unanswered',
  leased: 'task.claimed',
  launched: 'run.launched',
  ended: 'run.exited',
  collected: 'run.collected',
  verified: 'run.verified',
  requeued: 'order.requeued',
  'stop-requested': 'order.stop_requested',
  'rolled-back': 'order.rolled_back',
  settled: 'order.settled',
  reported: 'order.reported',
};

/** What the log tells of a fact: short; the fact itself is kept whole. */
export function payloadOf(fact: Fact): Readonly<Record<string, unknown>> {
  switch (fact.kind) {
    case 'admitted':
      return { agent: fact.agent, sandbox: fact.sandbox, warnings: fact.warnings, message: fact.message };
    case 'snapshotted':
      return { workplace: fact.workplace, commit: fact.commit, files: fact.files.length, checks: briefly(fact.checks) };
    case 'unanswered':
      return { alternative: fact.alternative, message: fact.message };
    case 'leased':
      return { run: fact.runId, agent: fact.agent, alternative: fact.alternative };
    case 'launched':
      return { run: fact.runId, pid: fact.pid };
    case 'ended':
      return { run: fact.runId, ...endOf(fact.end), spend: fact.spend, warnings: fact.warnings };
    case 'collected':
      return { run: fact.runId, commit: fact.commit, changed: fact.changed.length, violations: fact.violations };
    case 'verified':
      return { run: fact.runId, results: briefly(fact.results) };
    case 'requeued':
      return { alternative: fact.alternative, dueAt: new Date(fact.dueAt).toISOString(), reason: fact.reason };
    case 'stop-requested':
      return { by: fact.by };
    case 'rolled-back':
      return { trigger: fact.trigger, files: fact.files, message: fact.message };
    case 'settled':
      return { ...fact.outcome };
    case 'reported':
      return { receipt: fact.receipt ?? null };
    default:
      return assertNever(fact);
  }
}

function briefly(results: Extract<Fact, { readonly kind: 'verified' }>['results']): readonly object[] {
  return results.map(({ id, kind, result, message }) => ({ id, kind, result, message }));
}

function endOf(end: Extract<Fact, { readonly kind: 'ended' }>['end']): object {
  switch (end.kind) {
    case 'finished':
      return { end: end.kind, claim: end.claim?.signal ?? null };
    case 'failed':
      return { end: end.kind, code: end.code, message: end.message, claim: end.claim?.signal ?? null };
    case 'stopped':
      return { end: end.kind, by: end.by };
    case 'lost':
      return { end: end.kind };
    default:
      return assertNever(end);
  }
}
