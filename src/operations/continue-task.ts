import { isRefusal, type Refusal, refuse } from '../domain/refusal.ts';
import type { Task } from '../domain/task.ts';
import { isTerminal, type TaskStatus } from '../domain/task-lifecycle.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { selectOrder } from '../ledger/statements/orders.ts';
import { selectTask, updateTaskDue } from '../ledger/statements/tasks.ts';
import type { Reader, Tx } from '../ledger/tx.ts';
import { writeFact } from './open-order.ts';
import { beginRound } from './order-task.ts';
import { handWorkOver } from './record-work.ts';
import { type NewOrder, submitOrder } from './submit-order.ts';
import { type Moved, transitions } from './transition.ts';

/** An order that goes on with earlier work. Its `task` is created only if the earlier one is in a final status. */
export interface ContinuedOrder extends NewOrder {
  readonly continues: NonNullable<NewOrder['continues']>;
  readonly actor: string;
}

/** Begins another round of a task. One in a final status stays as it is, and a new task goes on (aof:continue). */
export const continueTask: Command<ContinuedOrder, Moved> = (tx, { actor, ...order }) => {
  const { continues } = order;
  const task = selectTask(tx, continues.task);
  if (!task) return refuse('task_not_found', `there is no task ${continues.task}`);
  const refusal = refuseContinue(tx, task);
  if (refusal) return refusal;
  if (!isTerminal(task.status)) return nextRound(tx, task, { actor, ...order });
  const created = submitOrder(tx, order);
  if (isRefusal(created) || !continues.isInWorktree) return created;
  return { ...created, events: [...created.events, ...handWorkOver(tx, task.id, created)] };
};

/** Refuses to go on with a task that is being carried out, or that another one already goes on with; null for any other. */
export function refuseContinue(ledger: Reader, { id, status, work }: Task): Refusal | null {
  const order = selectOrder(ledger, id);
  if (order === null) {
    return { ...refuse('not_running', `${id} was never given to an agent`), hint: `baton run ${id} carries it out` };
  }
  if (order.isOpen || status === 'in-progress') {
    const hint = `baton say ${id} TEXT tells its agent something, baton stop ${id} ends it`;
    return { ...refuse('already_claimed', `${id} is being carried out`), hint };
  }
  if (work !== 'continued') return null;
  const hint = `baton task show ${id} names the task that goes on with it`;
  return { ...refuse('invalid_argument', `another task already goes on with the work of ${id}`), hint };
}

function nextRound(tx: Tx, earlier: Task, { task, actor, admitted, ...round }: ContinuedOrder): Moved {
  const moved = transitions(tx, earlier, {
    through: WAYS[earlier.status] ?? [],
    actor,
    reason: reasonOf(round.continues.words),
    with: { runId: null, reclaims: 0 },
  });
  const routed = { ...moved.task, routing: { ...earlier.routing, agent: task.agent } };
  updateTaskDue(tx, routed, null);
  const begun = beginRound(tx, routed, round);
  return { task: begun.task, events: [...moved.events, writeFact(tx, begun, admitted)] };
}

/** The moves to ready; a review is left by way of blocked. */
const WAYS: Readonly<Partial<Record<TaskStatus, readonly TaskStatus[]>>> = {
  backlog: ['ready'],
  blocked: ['ready'],
  deadletter: ['ready'],
  review: ['blocked', 'ready'],
};

const REASON_CHARACTERS_MAX = 200;

function reasonOf(words: string | null): string {
  const [first = ''] = (words ?? '').trim().split('\n');
  return first === '' ? 'continued' : `continued: ${[...first].slice(0, REASON_CHARACTERS_MAX).join('')}`;
}
