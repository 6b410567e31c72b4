import { assertNever } from '../../domain/assert-never.ts';
import type { AttemptEnd, Fact } from '../../domain/execution/fact.ts';
import { recordedOutcome, recordedWorkplace } from '../../domain/execution/lift-codes.ts';
import type { WorkFact } from '../../domain/execution/work-fact.ts';
import { recordCode } from '../../domain/failure-code.ts';
import { EVENT_PATHS_MAX } from '../../domain/limits.ts';
import { CLAIMED_SIGNALS, RESTORED_STATUSES, ROLLBACK_TRIGGERS, SIGNALS } from '../../domain/order/record-words.ts';
import { warningText } from '../../domain/order/warning.ts';
import type { SentFact } from '../../domain/remote/sent-fact.ts';
import { receiverName } from '../../domain/remote/sent-terms.ts';
import type { EventType } from '../../domain/trace/ledger-event.ts';
import type { OrderRow } from '../../ledger/statements/orders.ts';

/**
 * `ordered` has no event of its own: `task.created` or `task.transitioned` is logged for it. Those of `session-opened` and
 * `rewound` are logged by the operations that record them.
 */
export type LoggedFact = Exclude<Fact, { readonly kind: 'ordered' | 'session-opened' | 'rewound' }>;

export const EVENT_OF: Readonly<Record<LoggedFact['kind'], EventType>> = {
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
  applied: 'work.applied',
  undone: 'work.undone',
  discarded: 'work.discarded',
  cleaned: 'work.cleaned',
  continued: 'work.continued',
  sent: 'task.sent',
  taken: 'task.taken',
  strayed: 'task.strayed',
  recalled: 'task.recalled',
  overdue: 'task.overdue',
  answered: 'task.answered',
  brought: 'task.brought',
};

type Payload = Readonly<Record<string, unknown>>;
type OrderOfEvent = Pick<OrderRow, 'senderTaskId'>;

/** The short form for the log; the fact itself is stored whole. */
export function payloadOf(fact: LoggedFact, order: OrderOfEvent): Payload {
  switch (fact.kind) {
    case 'admitted':
      return {
        agent: fact.agent,
        sandbox: fact.sandbox,
        warnings: fact.warnings.map(warningText),
        ...(fact.fallback && { fallback: fact.fallback }),
        ...(fact.routing && { routing: fact.routing }),
      };
    case 'snapshotted':
      return snapshotOf(fact);
    case 'unanswered':
      return {
        alternative: fact.alternative,
        message: fact.message,
        ...(fact.code && { code: recordCode(fact.code) }),
      };
    case 'leased':
      return { run: fact.runId, agent: fact.agent, alternative: fact.alternative };
    case 'launched':
      return {
        run: fact.runId,
        pid: fact.pid,
        ...(fact.fallback && { fallback: fact.fallback }),
        ...(fact.resumed !== undefined && { resumed: fact.resumed }),
      };
    case 'ended':
      return endedOf(fact);
    case 'collected':
      return findingsOf(fact);
    case 'verified':
      return { run: fact.runId, results: briefly(fact.results) };
    case 'requeued':
      return waitOf(fact);
    case 'stop-requested':
      return { by: fact.by };
    case 'rolled-back':
      return rollbackOf(fact, order);
    case 'settled':
      return settledOf(fact);
    case 'reported':
      return { receipt: fact.report.receipt };
    case 'applied':
    case 'undone':
    case 'discarded':
      return workOf(fact);
    case 'cleaned':
      return {};
    case 'continued':
      return { inTask: fact.inTask };
    default:
      return sentPayload(fact);
  }
}

/** The fields of the document, where it has them. */
function sentPayload(fact: SentFact): Payload {
  switch (fact.kind) {
    case 'sent':
      return { to: fact.to.map(receiverName).join(', '), eventId: fact.eventId, corrId: fact.corrId };
    case 'taken': {
      const { runId: run, node, agent, etaAt, plan, theirTask } = fact;
      return { run, node, agent, etaAt: instant(etaAt), plan, theirTask };
    }
    case 'strayed':
    case 'recalled':
      return { nodes: fact.nodes.join(', '), why: fact.reason };
    case 'overdue':
      return { etaAt: instant(fact.etaAt) };
    case 'answered': {
      const { verdict, code, failureClass, message, resultRef } = fact.answer;
      const { runId: run, node, agent } = fact;
      const isUnchecked = verdict === 'unchecked';
      return {
        run,
        node,
        agent,
        signal: SIGNALS[verdict],
        isUnchecked,
        code: code && recordCode(code),
        failureClass,
        message,
        resultRef,
      };
    }
    case 'brought':
      return { violations: fact.violations, problem: fact.problem };
    default:
      return assertNever(fact);
  }
}

function instant(at: number): string {
  return new Date(at).toISOString();
}

function endedOf(fact: Extract<Fact, { readonly kind: 'ended' }>): Payload {
  return {
    run: fact.runId,
    ...endOf(fact.end),
    report: fact.report?.outcome ?? null,
    spend: fact.spend,
    warnings: fact.warnings.map(warningText),
  };
}

function snapshotOf({ workplace, commit, files, checks }: Extract<Fact, { readonly kind: 'snapshotted' }>): Payload {
  return { workplace: recordedWorkplace(workplace), commit, files: files.length, checks: briefly(checks) };
}

function findingsOf(fact: Extract<Fact, { readonly kind: 'collected' }>): Payload {
  return {
    run: fact.runId,
    commit: fact.commit,
    changed: fact.changed.length,
    violations: fact.violations,
    ...(fact.executedByGit?.length && { executedByGit: fact.executedByGit.length }),
  };
}

function waitOf({
  alternative,
  dueAt,
  reason,
  quota,
  question,
  agent,
}: Extract<Fact, { readonly kind: 'requeued' }>): Payload {
  const waits = { ...(quota !== undefined && { quota }), ...(question !== undefined && { question }) };
  return { alternative, ...(agent !== undefined && { agent }), dueAt: new Date(dueAt).toISOString(), reason, ...waits };
}

function rollbackOf(fact: Extract<Fact, { readonly kind: 'rolled-back' }>, { senderTaskId }: OrderOfEvent): Payload {
  const files = fact.files.map((file) => ({ ...file, status: RESTORED_STATUSES[file.status] }));
  return { trigger: ROLLBACK_TRIGGERS[fact.trigger], files, senderTask: senderTaskId };
}

function settledOf({ outcome }: Extract<Fact, { readonly kind: 'settled' }>): Payload {
  const { verdict, ...rest } = recordedOutcome(outcome);
  return { signal: SIGNALS[verdict], isUnchecked: verdict === 'unchecked', ...rest };
}

/** The first files by name, and the number of all. */
function workOf({ folder, files, beside = [], branch, commit, keptAs }: WorkFact): Payload {
  return {
    folder,
    files: files.length,
    paths: files.slice(0, EVENT_PATHS_MAX),
    ...(beside.length > 0 && { beside: beside.slice(0, EVENT_PATHS_MAX) }),
    ...(branch !== null && { branch, commit }),
    ...(keptAs !== null && { keptAs }),
  };
}

function briefly(results: Extract<Fact, { readonly kind: 'verified' }>['results']): readonly object[] {
  return results.map(({ id, kind, result, message, why }) => ({
    id,
    kind,
    result,
    message,
    ...(why !== undefined && { why }),
  }));
}

function endOf(end: Extract<Fact, { readonly kind: 'ended' }>['end']): object {
  switch (end.kind) {
    case 'finished':
      return { end: end.kind, claim: claimedIn(end) };
    case 'failed':
      return { end: end.kind, code: recordCode(end.code), message: end.message, claim: claimedIn(end) };
    case 'out-of-quota': {
      const { kind, message, account, scope, resetsAt, until } = end;
      const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString());
      return { end: kind, message, account, scope, resetsAt: iso(resetsAt), until: iso(until) };
    }
    case 'stopped':
      return { end: end.kind, by: end.by };
    case 'lost':
      return { end: end.kind };
    default:
      return assertNever(end);
  }
}

function claimedIn({ claim }: Extract<AttemptEnd, { readonly kind: 'finished' | 'failed' }>): string | null {
  return claim?.result ? CLAIMED_SIGNALS[claim.result] : null;
}
