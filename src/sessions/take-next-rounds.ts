import { isRefusal, type Refusal, refuse } from '../domain/refusal.ts';
import type { ReopenVerb } from '../domain/session/decide-reopen.ts';
import type { TaskName } from '../domain/task/task.ts';
import { isTerminal } from '../domain/task/task-lifecycle.ts';
import { selectOrder } from '../ledger/statements/orders.ts';
import type { selectMembers } from '../ledger/statements/session-members.ts';
import { selectTask } from '../ledger/statements/tasks.ts';
import { earlierRound, takeContinued } from '../orders/continue-order.ts';
import { takeNextRound } from '../orders/ensure-order.ts';
import { lookOnce } from '../orders/look-once.ts';
import type { OrderWorld } from '../orders/order-world.ts';
import type { TakenRound } from '../orders/take-round.ts';
import { type ReopenedMember, refuseUnderWay } from './reopen-session.ts';

/** Takes in the next round of every task, or refuses all of them. */
export async function takeNextRounds(
  world: OrderWorld,
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
  return members;
}

/** The next round of a task, which continues its work where it is told to and where there is some. */
async function takeNext(world: OrderWorld, taskId: TaskName, isContinued: boolean): Promise<TakenRound | Refusal> {
  const ledger = world.ledger.read;
  const task = selectTask(ledger, taskId);
  if (task === null) return refuse('task_not_found', `there is no task ${taskId}`);
  if (selectOrder(ledger, taskId)?.isOpen) return refuseUnderWay(taskId);
  const earlier = isContinued && !isTerminal(task.status) ? await earlierRound(world, taskId) : null;
  if (earlier !== null && !isRefusal(earlier)) return await takeContinued(world, earlier, { task: taskId });
  return await takeNextRound(world, task);
}
