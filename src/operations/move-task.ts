import { refuseBusyResource } from '../domain/decisions/decide-claim.ts';
import { OPERATOR } from '../domain/decisions/decide-sender.ts';
import { type Refusal, refuse } from '../domain/refusal.ts';
import type { Task, TaskName } from '../domain/task.ts';
import { canMove, TASK_TRANSITIONS, type TaskStatus } from '../domain/task-lifecycle.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { selectTask } from '../ledger/statements/select-task.ts';
import type { Tx } from '../ledger/tx.ts';
import { readWaits } from './read-waits.ts';
import { refuseReason } from './refuse-words.ts';
import { startRun } from './start-run.ts';
import { letGo, type Moved, transition } from './transition.ts';

export interface MoveRequest {
  readonly taskId: TaskName;
  readonly to: TaskStatus;
  readonly actor: string;
  readonly reason: string | null;
}

/** A person moves a task. What held it is let go; into in-progress it goes with a run of the agent it is routed to. */
export const moveTask: Command<MoveRequest, Moved> = (tx, request) => {
  const task = selectTask(tx, request.taskId);
  if (!task) return refuse('task_not_found', `there is no task ${request.taskId}`);
  if (task.status === request.to) return { task, events: [] };
  const refusal = refuseReason(request.reason) ?? refuseMoveByHand(tx, task, request.to);
  if (refusal) return refusal;
  return moveByHand(tx, task, request);
};

/** Why a person may not move the task there; null where nothing is against it. */
export function refuseMoveByHand(tx: Tx, task: Task, to: TaskStatus): Refusal | null {
  return refuseMove(task, to) ?? (to === 'in-progress' ? refuseBusyResource(task, readWaits(tx, task)) : null);
}

function refuseMove(task: Task, to: TaskStatus): Refusal | null {
  if (canMove(task.status, to)) return null;
  const allowed = TASK_TRANSITIONS[task.status];
  const may = allowed.length === 0 ? 'it is final' : `it may go to ${allowed.join(', ')}`;
  return refuse('invalid_transition', `${task.id} is ${task.status} and cannot go to ${to}: ${may}`, '/status');
}

/** The move itself, for whoever has found it legal. */
export function moveByHand(tx: Tx, task: Task, request: Omit<MoveRequest, 'taskId'>): Moved {
  const { to, actor, reason } = request;
  const freed = letGo(tx, task, actor);
  if (to === 'in-progress') {
    const agent = task.routing.agent ?? OPERATOR;
    const started = startRun(tx, task, { agent, process: null, reason: reason ?? `moved by ${actor}`, actor });
    return { task: started.task, events: [...freed, ...started.events] };
  }
  const moved = transition(tx, task, { to, actor, reason, with: { runId: null, reclaims: 0 } });
  return { task: moved.task, events: [...freed, ...moved.events] };
}
