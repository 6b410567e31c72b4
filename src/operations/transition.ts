import { assertNever } from '../domain/assert-never.ts';
import type { LedgerEvent } from '../domain/ledger-event.ts';
import type { Task } from '../domain/task.ts';
import { canMove, type TaskStatus } from '../domain/task-lifecycle.ts';
import { causedBy, type TaskCause } from '../domain/task-reason.ts';
import { closeDependency, releaseOrders, selectDependents } from '../ledger/statements/dependencies.ts';
import { insertEvent } from '../ledger/statements/events.ts';
import { updateTaskStatus } from '../ledger/statements/tasks.ts';
import type { Tx } from '../ledger/tx.ts';
import { abandonOrder } from './stop-order.ts';

export interface Move {
  readonly to: TaskStatus;
  readonly actor: string;
  readonly reason: string | null;
  /** Absent if an operator or an agent gave the reason. */
  readonly cause?: TaskCause | null;
  /** Fields that change with the status: the run that holds the task, the number of reclaims. */
  readonly with?: Partial<Pick<Task, 'runId' | 'fence' | 'reclaims'>>;
}

export interface Moved {
  readonly task: Task;
  readonly events: readonly LedgerEvent[];
}

/** Changes the status of a task, logs it, and applies its consequences. No other code changes a status. */
export function transition(tx: Tx, task: Task, move: Move): Moved {
  return transitions(tx, task, { ...move, through: [move.to] });
}

/** Several moves in a row: each has its event, the row is written once. */
export function transitions(
  tx: Tx,
  task: Task,
  move: Omit<Move, 'to'> & { readonly through: readonly TaskStatus[] },
): Moved {
  const events: LedgerEvent[] = [];
  // The run that the move begins or ends.
  const runId = move.with?.runId ?? task.runId;
  let moved = task;
  for (const to of move.through) {
    if (!canMove(moved.status, to)) throw new Error(`${task.id}: ${moved.status} to ${to} was not refused`);
    const payload = { from: moved.status, to, reason: move.reason, cause: move.cause ?? null };
    events.push(insertEvent(tx, { type: 'task.transitioned', actor: move.actor, taskId: task.id, runId, payload }));
    moved = { ...moved, status: to, revision: moved.revision + 1 };
  }
  const { wallMs } = tx.moment.now;
  moved = { ...moved, ...move.with, updatedAt: wallMs, lastTransitionAt: wallMs };
  updateTaskStatus(tx, moved);
  return { task: moved, events: [...events, ...consequences(tx, moved)] };
}

function consequences(tx: Tx, task: Task): readonly LedgerEvent[] {
  switch (task.status) {
    case 'done':
      closeDependency(tx, task.id);
      return [];
    case 'cancelled':
      return blockDependents(tx, task, 'was cancelled');
    case 'deadletter':
      return blockDependents(tx, task, 'was given up');
    case 'review':
      releaseOrders(tx, task.id);
      return [];
    case 'backlog':
    case 'ready':
    case 'in-progress':
    case 'blocked':
      return [];
    default:
      return assertNever(task.status);
  }
}

/** aop:dependencies: blocks the tasks that depend on a failed task, directly or through others. */
export function blockDependents(tx: Tx, task: Task, what: string): readonly LedgerEvent[] {
  const events: LedgerEvent[] = [];
  const message = `${task.id}, which it depends on, ${what}`;
  const failure = { code: 'E_DEPENDENCY_FAILED', message } as const;
  const move = { to: 'blocked', actor: 'dispatcher', ...causedBy({ kind: 'failed', ...failure }) } as const;
  for (const waiting = [task]; waiting.length > 0; ) {
    const needed = waiting.pop() as Task;
    for (const dependent of selectDependents(tx, needed.id)) {
      if (dependent.status !== 'backlog' && dependent.status !== 'ready') continue;
      events.push(...abandonOrder(tx, dependent, failure));
      events.push(...transition(tx, dependent, move).events);
      waiting.push(dependent);
    }
  }
  return events;
}
