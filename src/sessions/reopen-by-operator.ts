import { isRefusal, type Refusal, refuse } from '../domain/refusal.ts';
import { decideReopen, type ReopenVerb } from '../domain/session/decide-reopen.ts';
import { replaySession, type Session } from '../domain/session/session.ts';
import { stateOf } from '../domain/session/session-report.ts';
import type { ReopenRequest } from '../domain/session/session-request.ts';
import { OPERATOR } from '../domain/task/decide-sender.ts';
import { selectMembers } from '../ledger/statements/session-members.ts';
import { type SessionRow, selectSessionFacts } from '../ledger/statements/sessions.ts';
import { commitSessionFact } from './commit-session-fact.ts';
import { findSession } from './find-session.ts';
import { reopenSession } from './reopen-session.ts';
import type { SessionsWorld } from './session-store.ts';
import { takeNextRounds } from './take-next-rounds.ts';

/** A request to reopen a session. */
export interface Reopening {
  readonly verb: ReopenVerb;
  readonly request: ReopenRequest;
  readonly key?: string;
  /** Whether this node runs the tasks of a session now; null in a node that lives for one command. */
  readonly isCarried: ((sessionId: string) => boolean) | null;
}

/** Continues the tasks of a session that were not done, or a session whose node died. */
export async function reopenByOperator(
  { world, awake }: SessionsWorld,
  { verb, request, key, isCarried }: Reopening,
): Promise<SessionRow | Refusal> {
  const { ledger } = world;
  const row = findSession(ledger.read, request.session);
  if (isRefusal(row)) return row;
  const { sessionId } = row;
  const { session: _, ...limits } = request;
  const changesLimits = Object.values(limits).some((limit) => limit !== undefined);
  const carried = { isCarried: isCarried?.(sessionId) ?? false, canCarry: isCarried !== null };
  const decision = decideReopen({ ...row, ...carried, verb, changesLimits });
  if (isRefusal(decision)) return decision;
  if (decision.kind === 'resume') return row;
  const open = selectMembers(ledger.read, sessionId).filter((member) => stateOf(member) !== 'completed');
  if (open.length === 0) return nothingLeft(sessionId);
  const { terms: before } = replaySession(selectSessionFacts(ledger.read, sessionId));
  const terms = termsOf(before, request);
  const refusal = refuseSpent(row, terms);
  if (refusal) return refusal;
  const members = await takeNextRounds(world, verb, open);
  if (isRefusal(members)) return members;
  const awakeMs = awake.nowMs();
  const answer = await commitSessionFact('reopened', ledger, {
    command: (tx) => reopenSession(tx, { sessionId, terms, by: OPERATOR, awakeMs, members }),
    facts: request,
    key,
  });
  return isRefusal(answer) ? answer : { ...row, isOpen: true };
}

function nothingLeft(sessionId: string): Refusal {
  const refusal = refuse('not_running', `every task of session ${sessionId} is completed`);
  return { ...refusal, hint: `baton session show ${sessionId} lists them; baton continue continues one` };
}

function termsOf(before: Session['terms'], { budgetUsd, deadlineSeconds, atOnce }: ReopenRequest): Session['terms'] {
  return {
    ...before,
    ...(budgetUsd !== undefined && { costUsdMax: budgetUsd }),
    ...(deadlineSeconds !== undefined && { awakeSecondsMax: deadlineSeconds }),
    ...(atOnce !== undefined && { atOnceMax: atOnce }),
  };
}

function refuseSpent({ sessionId, costUsd }: SessionRow, { costUsdMax }: Session['terms']): Refusal | null {
  if (costUsdMax === null || costUsd < costUsdMax || costUsd === 0) return null;
  const message = `session ${sessionId} has cost $${costUsd.toFixed(2)}, and its cap is $${costUsdMax}`;
  return { ...refuse('budget-exceeded', message), hint: 'give the whole session a higher budget' };
}
