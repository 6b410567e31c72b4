import { assertNever } from '../../domain/assert-never.ts';
import type { Task } from '../../domain/task/task.ts';
import { canMove, isWaiting, type TaskStatus } from '../../domain/task/task-lifecycle.ts';
import { causedByFailure, type TaskCause } from '../../domain/task/task-reason.ts';
import type { LedgerEvent } from '../../domain/trace/ledger-event.ts';
import { NO_FILES } from '../../domain/work/point.ts';
import {
  closeDependency,
  releaseOrders,
  reopenDependency,
  selectDependents,
} from '../../ledger/statements/dependencies.ts';
import { insertEvent } from '../../ledger/statements/events.ts';
import { markWaiting } from '../../ledger/statements/orders.ts';
import { selectLastPoint } from '../../ledger/statements/points.ts';
import { updateTaskStatus } from '../../ledger/statements/tasks.ts';
import type { Tx } from '../../ledger/tx.ts';
import { abandonOrder } from '../order/stop-order.ts';
import { addPoint } from '../run/record-point.ts';

export interface Move {
  readonly to: TaskStatus;
  readonly actor: string;
  readonly reason: string | null;
  /** Absent if an operator or an agent gave the reason. */
  readonly cause?: TaskCause | null;
  /** Fields that change with the status: the run that holds the task, the number of reclaims. */
  readonly with?: Partial<Pick<Task, 'runId' | 'fence' | 'reclaims'>>;
}

export interface TaskChange {
  readonly task: Task;
  readonly events: readonly LedgerEvent[];
}

/** Changes the status of a task, logs it, and applies its consequences. No other code changes a status. */
export function transition(tx: Tx, task: Task, move: Move): TaskChange {
  return transitions(tx, task, { ...move, through: [move.to] });
}

/** Several moves in a row: each has its event, the row is written once. */
export function transitions(
  tx: Tx,
  task: Task,
  move: Omit<Move, 'to'> & { readonly through: readonly TaskStatus[] },
): TaskChange {
  const events: LedgerEvent[] = [];
  // The run that the move begins or ends.
  const runId = move.with?.runId ?? task.runId;
  let moved = task;
  for (const to of move.through) {
    if (!canMove(moved.status, to)) throw new Error(`${task.id}: ${moved.status} to ${to} was not refused`);
    const payload = { from: moved.status, to, reason: move.reason, cause: move.cause ?? null };
    const git = moved.headHash === null ? {} : { gitHash: moved.headHash };
    const about = { actor: move.actor, taskId: task.id, runId };
    const event = insertEvent(tx, { type: 'task.transitioned', ...about, payload: { ...payload, ...git } });
    events.push(event);
    moved = { ...moved, status: to, revision: moved.revision + 1 };
    if (moved.headHash !== null) addTransitionPoint(tx, moved, { seq: event.seq, runId });
  }
  const { wallMs } = tx.moment.now;
  moved = { ...moved, ...move.with, updatedAt: wallMs, lastTransitionAt: wallMs };
  updateTaskStatus(tx, moved);
  if (isWaiting(task.status) !== isWaiting(moved.status)) markWaiting(tx, task.id, moved.status);
  return { task: moved, events: [...events, ...consequences(tx, moved)] };
}

export interface Return {
  readonly to: TaskStatus;
  readonly actor: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/**
 * Puts a task back to an earlier status by a rewind, also from a final one: a rewind is no move of the task's life, and the
 * table of moves does not judge it. Tasks that wait for this one wait again, unless they have started.
 */
export function returnTo(
  tx: Tx,
  task: Task,
  { to, actor, payload }: Return,
): TaskChange & { readonly event: LedgerEvent } {
  const told = { from: task.status, to, ...payload };
  const event = insertEvent(tx, { type: 'task.rewound', actor, taskId: task.id, payload: told });
  const { wallMs } = tx.moment.now;
  const revision = task.revision + 1;
  const back = { ...task, status: to, revision, updatedAt: wallMs, lastTransitionAt: wallMs };
  updateTaskStatus(tx, back);
  if (task.status === 'done' && to !== 'done') reopenDependency(tx, task.id);
  const more = to === task.status ? [] : consequences(tx, back);
  return { task: back, event, events: [event, ...more] };
}

/** saop:git-hash: the files as they were recorded last. */
function addTransitionPoint(tx: Tx, task: Task, at: { readonly seq: number; readonly runId: string | null }): void {
  const last = selectLastPoint(tx, task.id);
  if (last === null) return;
  const { label, commit, gitHash, round } = last;
  addPoint(tx, task, { label, commit, gitHash, round, files: NO_FILES, kind: 'transition', ...at });
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
  const failure = { code: 'dependency-failed', message } as const;
  const move = { to: 'blocked', actor: 'dispatcher', ...causedByFailure(failure) } as const;
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
