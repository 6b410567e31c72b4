import { decideReopen, type ReopenVerb } from '../../domain/decisions/decide-reopen.ts';
import { OPERATOR } from '../../domain/decisions/decide-sender.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import { replaySession, type Session } from '../../domain/session.ts';
import { stateOf } from '../../domain/session-report.ts';
import type { ReopenRequest } from '../../domain/session-request.ts';
import type { TaskName } from '../../domain/task.ts';
import { isTerminal } from '../../domain/task-lifecycle.ts';
import { selectOrder } from '../../ledger/statements/orders.ts';
import { selectMembers } from '../../ledger/statements/session-members.ts';
import { type SessionRow, selectSessionFacts } from '../../ledger/statements/sessions.ts';
import { selectTask } from '../../ledger/statements/tasks.ts';
import { findSession } from '../../operations/find-session.ts';
import { type ReopenedMember, refuseUnderWay, reopenSession } from '../../operations/reopen-session.ts';
import { forgetRepositoryStatus } from '../../workspace/repository-status.ts';
import { lookOnce } from '../look-once.ts';
import { earlierRound, takeContinued } from '../orders/continue-order.ts';
import { takeNextRound } from '../orders/ensure-order.ts';
import type { TakenRound } from '../orders/take-round.ts';
import type { RunWorld } from '../run-world.ts';
import { commitSessionFact } from './commit-session-fact.ts';

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
  world: RunWorld,
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
  const members = await takeMembers(world, verb, open);
  if (isRefusal(members)) return members;
  const awakeMs = world.awake.nowMs();
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
  return { ...refuse('E_COST_LIMIT_EXCEEDED', message), hint: 'give the whole session a higher budget' };
}

/** Takes in the next round of every task, or refuses all of them. */
async function takeMembers(
  world: RunWorld,
  verb: ReopenVerb,
  open: ReturnType<typeof selectMembers>,
): Promise<readonly ReopenedMember[] | Refusal> {
  const members: ReopenedMember[] = [];
  const seen = await lookOnce(world);
  for (const { id: member, task: taskId, runs } of open) {
    const taken = await takeNext(seen, taskId, verb === 'continue' && runs > 0);
    if (isRefusal(taken)) return world.edge.locate({ ...taken, message: `${member}: ${taken.message}` }, null);
    members.push({ member, taskId, round: taken });
  }
  forgetRepositoryStatus();
  return members;
}

/** The next round of a task, which continues its work where it is told to and where there is some. */
async function takeNext(world: RunWorld, taskId: TaskName, isContinued: boolean): Promise<TakenRound | Refusal> {
  const ledger = world.ledger.read;
  const task = selectTask(ledger, taskId);
  if (task === null) return refuse('task_not_found', `there is no task ${taskId}`);
  if (selectOrder(ledger, taskId)?.isOpen) return refuseUnderWay(taskId);
  const earlier = isContinued && !isTerminal(task.status) ? await earlierRound(world, taskId) : null;
  if (earlier !== null && !isRefusal(earlier)) return await takeContinued(world, earlier, { task: taskId });
  return await takeNextRound(world, task);
}
