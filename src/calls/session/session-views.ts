import type { StatusAnswer } from '../../api/contract.ts';
import type { Calls } from '../../api/node-client.ts';
import type { SessionLine, SessionTaskView, SessionView } from '../../api/session/session-contract.ts';
import type { RunSight } from '../../api/task/views.ts';
import { recordCode } from '../../domain/failure-code.ts';
import { OPEN_SESSIONS_MAX, SESSIONS_PER_PAGE_MAX } from '../../domain/limits.ts';
import { SIGNALS, STATES } from '../../domain/order/record-words.ts';
import { isAccepted } from '../../domain/order/work-verdict.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { maskWritten } from '../../domain/secrets/mask-written.ts';
import { replaySession, type Session } from '../../domain/session/session.ts';
import {
  type MemberState,
  type SessionMember,
  spendOf,
  stateOf,
  totalsOf,
  verdictOf,
} from '../../domain/session/session-report.ts';
import { selectMembers } from '../../ledger/statements/session-members.ts';
import {
  type SessionRow,
  selectOpenSessions,
  selectSessionAudit,
  selectSessionFacts,
  selectSessionPage,
} from '../../ledger/statements/sessions.ts';
import type { Reader } from '../../ledger/tx.ts';
import {
  costSummaryOf,
  durationSeconds,
  encodeEvidence,
  encodeSessionReport,
} from '../../protocols/aop/encode-session-report.ts';
import { findSession } from '../../sessions/find-session.ts';
import { type PlacedWork, placeOfWork } from '../work/work-place.ts';

/** The ledger, and which sessions the node runs that looks at it. */
export interface SessionSight extends Pick<RunSight, 'isSessionCarried'> {
  readonly read: Reader;
}

/** The calls that only look at sessions. */
export function sessionReads(sight: SessionSight): Pick<Calls, 'listSessions' | 'showSession' | 'sessionReport'> {
  const { read } = sight;
  return {
    listSessions: async ({ before = Number.MAX_SAFE_INTEGER, limit = SESSIONS_PER_PAGE_MAX } = {}) => {
      const page = selectSessionPage(read, { before, limit });
      const lines = page.map(({ session }) => viewSessionLine(sight, session));
      return { sessions: lines, next: page.length < limit ? null : (page.at(-1)?.number ?? null) };
    },
    showSession: async ({ session }) => {
      const row = findSession(read, session);
      return isRefusal(row) ? row : viewSession(sight, row);
    },
    sessionReport: async ({ session }) => {
      const row = findSession(read, session);
      return isRefusal(row) ? row : reportOf(read, row);
    },
  };
}

function reportOf(read: Reader, { sessionId }: SessionRow) {
  const { report } = replaySession(selectSessionFacts(read, sessionId));
  return {
    session_id: sessionId,
    report: report && { ...encodeSessionReport(report, selectSessionAudit(read, sessionId)) },
  };
}

export function viewSession(sight: SessionSight, row: SessionRow): SessionView {
  const { read } = sight;
  const session = replaySession(selectSessionFacts(read, row.sessionId));
  const members = selectMembers(read, row.sessionId);
  const { terms } = session;
  const toApply = members.filter(({ end, work }) => end?.verdict === 'checked' && work === 'waiting');
  return {
    ...lineOf(row, session, members),
    is_interrupted: isInterrupted(sight, row),
    evidence: encodeEvidence((row.isOpen ? null : session.report?.evidence) ?? [], members),
    to_apply: toApply.map(({ id }) => id),
    tasks: members.map((member) => ({ ...viewMember(member), ...placeOfWork(read, member) })),
    cost_summary: costSummaryOf({ spend: spendOf(members) }),
    limits: { max_cost_usd: terms.costUsdMax, deadline_seconds: terms.awakeSecondsMax, at_once: terms.atOnceMax },
  };
}

export function viewSessionLine(sight: SessionSight, row: SessionRow): SessionLine {
  const { read } = sight;
  const session = replaySession(selectSessionFacts(read, row.sessionId));
  return { ...lineOf(row, session, selectMembers(read, row.sessionId)), is_interrupted: isInterrupted(sight, row) };
}

/** Open sessions that no node runs, without their tasks. */
export function interruptedSessions(sight: SessionSight, limit: number): StatusAnswer['interruptedSessions'] {
  return selectOpenSessions(sight.read, OPEN_SESSIONS_MAX)
    .filter((row) => isInterrupted(sight, row))
    .slice(0, limit)
    .map(({ sessionId, name }) => ({ id: sessionId, name }));
}

function isInterrupted({ isSessionCarried = () => false }: SessionSight, { isOpen, sessionId }: SessionRow): boolean {
  return isOpen && !isSessionCarried(sessionId);
}

function lineOf(
  row: SessionRow,
  { stop, report }: Session,
  members: readonly SessionMember[],
): Omit<SessionLine, 'is_interrupted'> {
  const states = members.map(stateOf);
  const verdict = row.isOpen ? null : (report?.verdict ?? verdictOf(members));
  const counted = (state: MemberState) => states.filter((each) => each === state).length;
  return {
    session_id: row.sessionId,
    name: row.name,
    state: STATES[stateOfSession(row, members)],
    pattern: row.pattern,
    final_signal: verdict && SIGNALS[verdict],
    verdict,
    stopped: stop,
    totals: { ...totalsOf(members), running: counted('running'), waiting: counted('waiting') },
    cost: row.isOpen ? row.costUsd : spendOf(members).costUsd,
    created_at: new Date(row.at).toISOString(),
    ended_at: row.isOpen || !report ? null : new Date(report.completedAt).toISOString(),
  };
}

function stateOfSession({ isOpen }: SessionRow, members: readonly SessionMember[]): Exclude<MemberState, 'skipped'> {
  if (isOpen)
    return members.every((member) => stateOf(member) === 'waiting' && member.runs === 0) ? 'waiting' : 'running';
  const verdict = verdictOf(members);
  return isAccepted(verdict) ? 'completed' : verdict;
}

function viewMember(member: SessionMember): Omit<SessionTaskView, keyof PlacedWork> {
  const { end } = member;
  return {
    task_id: member.id,
    id: member.task,
    title: maskWritten(member.title),
    agent: member.agent,
    state: STATES[stateOf(member)],
    final_signal: end && SIGNALS[end.verdict],
    verdict: end?.verdict ?? null,
    stopped_by: end?.stoppedBy ?? null,
    error_code: end?.code ? recordCode(end.code) : null,
    message: maskWritten(end?.message ?? ''),
    unchecked: end?.verdict === 'unchecked',
    attempts: end?.attempts ?? member.runs,
    depends_on: member.after,
    parent_task_id: member.parent,
    depth: member.depth,
    duration_seconds: durationSeconds(member),
    cost: spendOf([member]).costUsd,
  };
}
