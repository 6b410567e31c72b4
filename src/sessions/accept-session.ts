import { isRefusal, type Refusal } from '../domain/refusal.ts';
import type { SessionRequest } from '../domain/session/session-request.ts';
import { OPERATOR } from '../domain/task/decide-sender.ts';
import { commitSessionFact } from './commit-session-fact.ts';
import type { SessionsWorld } from './session-store.ts';
import { type SubmittedSession, submitSession } from './submit-session.ts';
import { takeSession } from './take-session.ts';

/** Stores the session of a request in one commit, or refuses it whole. */
export async function acceptSession(
  { world, awake }: SessionsWorld,
  request: SessionRequest,
  { key }: { readonly key?: string } = {},
): Promise<SubmittedSession | Refusal> {
  const { ledger, edge } = world;
  const taken = await takeSession(world, request, ledger.read);
  if (isRefusal(taken)) return taken;
  const { sessionId, terms, members } = taken;
  const awakeMs = awake.nowMs();
  // Ids and time differ each time: a repeated request is recognized by what was asked for.
  const answer = await commitSessionFact('submitted', ledger, {
    command: (tx) => submitSession(tx, { sessionId, terms, orders: members, by: OPERATOR, awakeMs }),
    facts: request,
    key,
  });
  return isRefusal(answer) ? edge.locateInSession(answer, taken.form) : answer;
}
