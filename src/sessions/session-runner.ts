import type { OrderRunner } from '../dispatch/order-runner.ts';
import { assertNever } from '../domain/assert-never.ts';
import { isRefusal, type Refusal } from '../domain/refusal.ts';
import { planSession } from '../domain/session/plan-session.ts';
import type { SessionStop } from '../domain/session/session-terms.ts';
import type { SessionRow } from '../ledger/statements/sessions.ts';
import { reportSession } from '../operations/order/session-facts.ts';
import { faultFacts } from '../platform/logger.ts';
import { commitSessionFact } from './commit-session-fact.ts';
import { SessionStore, type SessionWorld } from './session-store.ts';
import { type StoppedSession, stopSession } from './stop-session.ts';

export interface SessionParts {
  readonly world: SessionWorld;
  readonly runner: OrderRunner;
}

/**
 * Advances sessions by one step a turn. It reads the facts of a session and its orders from the ledger, and writes the result of
 * the step in one commit, so that the next node continues from the same step with the same code.
 */
export class SessionRunner {
  readonly #parts: SessionParts;
  readonly #store: SessionStore;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#store = new SessionStore(parts.world);
  }

  /** The cost grows with open sessions, not with their tasks or with ended sessions. */
  async tick(): Promise<void> {
    for (const row of await this.#store.open()) {
      await this.#advance(row).catch((error: unknown) => {
        this.#parts.world.log.log('session.failed', { session: row.sessionId, ...faultFacts(error) });
      });
    }
  }

  /** Stops a session: what waits is aborted, and running agents are ended. Answers with the tasks that had begun. */
  async stop(sessionId: string, stop: SessionStop): Promise<StoppedSession | Refusal> {
    const { world, runner } = this.#parts;
    const facts = { sessionId, stop };
    const stopped = await commitSessionFact('stopped', world.ledger, { command: stopSession, facts });
    const sparesAnswer = stop.cause === 'budget';
    if (!isRefusal(stopped)) for (const taskId of stopped.running) runner.stop(taskId, stop.by, sparesAnswer);
    return stopped;
  }

  async #advance(row: SessionRow): Promise<void> {
    const step = planSession(this.#store.findings(row));
    switch (step.kind) {
      case 'rest':
        return;
      case 'stop':
        await this.stop(row.sessionId, step.stop);
        return;
      case 'report':
        return await this.#report(row);
      default:
        return assertNever(step);
    }
  }

  async #report(row: SessionRow): Promise<void> {
    const { ledger, edge } = this.#parts.world;
    const report = this.#store.report(row);
    const audit = await edge.publishSession(report, this.#store.audited(report));
    await commitSessionFact('reported', ledger, { command: reportSession, facts: { report, audit } });
  }
}
