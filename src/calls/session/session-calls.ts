import type { Calls, RequestOf } from '../../api/node-client.ts';
import { isRefusal } from '../../domain/refusal.ts';
import type { ReopenVerb } from '../../domain/session/decide-reopen.ts';
import { OPERATOR } from '../../domain/task/decide-sender.ts';
import { acceptSession } from '../../sessions/accept-session.ts';
import { findSession } from '../../sessions/find-session.ts';
import { planSessionRequest } from '../../sessions/plan-session-request.ts';
import { reopenByOperator } from '../../sessions/reopen-by-operator.ts';
import type { OrderParts } from '../order/order-records.ts';
import { refuseWorkspaceFault } from '../work/work-calls.ts';
import { applySession } from './session-apply.ts';
import { sessionReads, viewSession } from './session-views.ts';

/** Sessions: submitted, stopped, continued. */
export function sessionCalls(parts: OrderParts) {
  const { world, sessions, dispatcher } = parts;
  const { read } = world.ledger;
  const isCarried = (sessionId: string) => dispatcher?.carriesSession(sessionId) ?? false;
  const sight = { read, isSessionCarried: isCarried };
  const reopen = async (
    verb: ReopenVerb,
    request: RequestOf<'retrySession'>,
    { key }: { readonly key?: string } = {},
  ) => {
    const asked = { verb, request, isCarried: dispatcher && isCarried, ...(key !== undefined && { key }) };
    const row = await reopenByOperator(parts, asked).catch(refuseWorkspaceFault);
    if (isRefusal(row)) return row;
    dispatcher?.carrySession(row.sessionId);
    return viewSession(sight, row);
  };
  return {
    planSession: (request) => planSessionRequest(world, request, read).catch(refuseWorkspaceFault),
    submitSession: async (request, options) => {
      const answer = await acceptSession(parts, request, options).catch(refuseWorkspaceFault);
      if (isRefusal(answer)) return answer;
      dispatcher?.carrySession(answer.sessionId);
      return { session_id: answer.sessionId, tasks: [...answer.tasks] };
    },
    carrySession: async ({ session }) => {
      const row = findSession(read, session);
      if (isRefusal(row)) return row;
      dispatcher?.carrySession(row.sessionId);
      return viewSession(sight, row);
    },
    stopSession: async ({ session }) => {
      const row = findSession(read, session);
      if (isRefusal(row)) return row;
      const stop = { cause: 'operator', by: OPERATOR, message: `stopped by ${OPERATOR}` } as const;
      const stopped = await sessions.stop(row.sessionId, stop);
      if (isRefusal(stopped)) return stopped;
      if (dispatcher === null) await settleHere(parts);
      else dispatcher.wake();
      return await sessionReads(sight).showSession({ session: row.sessionId });
    },
    applySession: (request) => applySession(parts, request).catch(refuseWorkspaceFault),
    continueSession: (request, options) => reopen('continue', request, options),
    retrySession: (request, options) => reopen('retry', request, options),
  } satisfies Partial<Calls>;
}

/** This node runs no agents: what a dead node left of a session is settled and reported here. */
async function settleHere({ settle, sessions }: OrderParts): Promise<void> {
  await settle();
  await sessions.tick();
}
