import type { RunActivities } from '../dispatch/attempt/run-activities.ts';
import { EVENTS_PER_PAGE_MAX, OPEN_SESSIONS_MAX } from '../domain/limits.ts';
import { AUDITED_EVENTS, type AuditedSession } from '../domain/session/audited-session.ts';
import { findSessionEvidence } from '../domain/session/find-session-evidence.ts';
import type { SessionFindings } from '../domain/session/plan-session.ts';
import { replaySession, type Session } from '../domain/session/session.ts';
import { makeSessionReport, type SessionReport } from '../domain/session/session-report.ts';
import type { LedgerEvent } from '../domain/trace/ledger-event.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { selectEventsThat } from '../ledger/statements/events.ts';
import { selectRunningIn } from '../ledger/statements/ready-tasks.ts';
import { selectMembers } from '../ledger/statements/session-members.ts';
import {
  countOpenOrders,
  countSessionFacts,
  type SessionRow,
  selectOpenSessions,
  selectSenderNames,
  selectSessionFacts,
} from '../ledger/statements/sessions.ts';
import type { OrderEdge } from '../orders/order-edge.ts';
import type { OrderWorld } from '../orders/order-world.ts';
import type { Logger } from '../platform/logger.ts';
import { readWork } from '../reviews/read-attention.ts';

/** The time that nodes of this folder were awake. */
export interface Awake {
  nowMs(): number;
  count(): Promise<void>;
  rest(): void;
}

/** The parts of a node that accept sessions. */
export interface SessionsWorld {
  readonly world: OrderWorld;
  readonly awake: Awake;
}

export interface SessionWorld {
  readonly ledger: Ledger;
  readonly awake: Awake;
  readonly activities: RunActivities;
  readonly edge: OrderEdge;
  readonly log: Logger;
}

/** The sessions of the ledger, as their runner reads them. */
export class SessionStore {
  readonly #world: SessionWorld;
  /** The replayed facts by session, as long as no other fact has come: a report may have thousands of tasks. */
  readonly #replayed = new Map<string, { readonly facts: number; readonly session: Session }>();

  constructor(world: SessionWorld) {
    this.#world = world;
  }

  /** Sessions that are not reported yet. Time that passes while there are some counts as awake. */
  async open(): Promise<readonly SessionRow[]> {
    const open = selectOpenSessions(this.#world.ledger.read, OPEN_SESSIONS_MAX);
    for (const sessionId of this.#replayed.keys()) {
      if (!open.some((row) => row.sessionId === sessionId)) this.#replayed.delete(sessionId);
    }
    if (open.length > 0) await this.#world.awake.count();
    else this.#world.awake.rest();
    return open;
  }

  findings(row: SessionRow): SessionFindings {
    const session = this.#session(row.sessionId);
    return {
      session,
      openOrders: countOpenOrders(this.#world.ledger.read, row.sessionId),
      costUsd: row.costUsd + this.#runningCost(row, session),
      awakeMs: this.#world.awake.nowMs(),
    };
  }

  /** The report of a session whose orders are all over. */
  report({ sessionId, name, pattern, at }: SessionRow): SessionReport {
    const { stop } = this.#session(sessionId);
    const { read } = this.#world.ledger;
    const members = selectMembers(read, sessionId);
    const evidence = findSessionEvidence(members.map(({ id, task }) => ({ member: id, work: readWork(read, task) })));
    return makeSessionReport({ sessionId, name, pattern, stop, startedAt: at, members, evidence });
  }

  /** The events of a session up to its report. */
  audited({ sessionId }: Pick<SessionReport, 'sessionId'>): AuditedSession {
    const { read } = this.#world.ledger;
    const names = selectSenderNames(read, sessionId);
    const filter = { taskId: null, runId: null, sessionId, types: AUDITED_EVENTS, sinceMs: 0 };
    const events: LedgerEvent[] = [];
    for (let after = 0; ; after = events.at(-1)?.seq ?? 0) {
      const page = selectEventsThat(read, filter, { after, limit: EVENTS_PER_PAGE_MAX });
      events.push(...page);
      if (page.length < EVENTS_PER_PAGE_MAX) break;
    }
    const memberOf: AuditedSession['memberOf'] = (task) => (task === null ? null : (names.get(task) ?? null));
    return { events, memberOf };
  }

  /** The cost of runs that have not ended, for a session with a cap. */
  #runningCost({ sessionId }: SessionRow, { terms }: Session): number {
    if (terms.costUsdMax === null) return 0;
    const { ledger, activities } = this.#world;
    return selectRunningIn(ledger.read, sessionId).reduce(
      (sum, runId) => sum + (activities.glanceAt(runId).spend?.costUsd ?? 0),
      0,
    );
  }

  #session(sessionId: string): Session {
    const { read } = this.#world.ledger;
    const facts = countSessionFacts(read, sessionId);
    const known = this.#replayed.get(sessionId);
    if (known?.facts === facts) return known.session;
    const session = replaySession(selectSessionFacts(read, sessionId));
    this.#replayed.set(sessionId, { facts, session });
    return session;
  }
}
