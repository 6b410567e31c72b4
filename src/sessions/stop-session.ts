import { recordCode } from '../domain/failure-code.ts';
import { type FailureCode, refuse } from '../domain/refusal.ts';
import type { SessionStop } from '../domain/session/session-terms.ts';
import type { Task, TaskName } from '../domain/task/task.ts';
import { isWaiting } from '../domain/task/task-lifecycle.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { selectSessionOrders } from '../ledger/statements/orders.ts';
import { selectTask } from '../ledger/statements/tasks.ts';
import type { Tx } from '../ledger/tx.ts';
import { openSessionOf, writeSessionFact } from '../operations/order/session-facts.ts';
import { abandonOrder, requestStop } from '../operations/order/stop-order.ts';
import { transition } from '../operations/task/transition.ts';

export interface StoppedSession {
  /** Tasks whose agents are to be ended. */
  readonly running: readonly TaskName[];
}

const CODES: Readonly<Record<SessionStop['cause'], FailureCode | null>> = {
  operator: null,
  budget: 'budget-exceeded',
  deadline: 'timeout',
};

/** Stops a session: what waits is settled as ABORTED in this commit, what runs is asked to stop. A second call changes nothing. */
export const stopSession: Command<{ readonly sessionId: string; readonly stop: SessionStop }, StoppedSession> = (
  tx,
  { sessionId, stop },
) => {
  const session = openSessionOf(tx, sessionId);
  if (session === null) {
    const hint = `baton session show ${sessionId} shows how it ended`;
    return { ...refuse('not_running', `session ${sessionId} is over`), hint };
  }
  if (session.stop === null) writeSessionFact(tx, sessionId, { kind: 'stopped', ...stop });
  const running = selectSessionOrders(tx, sessionId).flatMap((id) => {
    const task = selectTask(tx, id);
    return task === null || stopWaiting(tx, task, stop) ? [] : [id];
  });
  const { by, message } = stop;
  const why = { code: CODES[stop.cause], message, sparesAnswer: stop.cause === 'budget' };
  for (const taskId of running) requestStop(tx, { taskId, by, why });
  return { running };
};

/** False for a task that does not wait. */
function stopWaiting(tx: Tx, task: Task, { cause, by, message }: SessionStop): boolean {
  if (!isWaiting(task.status)) return false;
  const code = CODES[cause];
  abandonOrder(tx, task, { ...(code && { code }), message, stoppedBy: by });
  const because = code === null ? null : ({ kind: 'failed', code: recordCode(code), message } as const);
  transition(tx, task, { to: 'blocked', actor: 'dispatcher', reason: message, cause: because });
  return true;
}
