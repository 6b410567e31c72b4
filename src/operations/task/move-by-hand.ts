import { type Refusal, refuseTask } from '../../domain/refusal.ts';
import { refuseBusyResource } from '../../domain/task/decide-claim.ts';
import { DISPATCHER, FILESYSTEM, OPERATOR } from '../../domain/task/decide-sender.ts';
import type { Task } from '../../domain/task/task.ts';
import { canMove, TASK_TRANSITIONS, type TaskStatus } from '../../domain/task/task-lifecycle.ts';
import type { LedgerEvent } from '../../domain/trace/ledger-event.ts';
import { liveRunOf } from '../../ledger/statements/runs.ts';
import type { Tx } from '../../ledger/tx.ts';
import { abandonOrder } from '../order/stop-order.ts';
import { endRun } from '../run/end-run.ts';
import { readWaits, startRun } from '../run/start-run.ts';
import { type Move, type TaskChange, transition } from './transition.ts';

export type HandMove = Omit<Move, 'with'>;

/** Refuses a move that a person may not make; null if the move is legal. */
export function refuseMoveByHand(tx: Tx, task: Task, to: TaskStatus): Refusal | null {
  return refuseMove(task, to) ?? (to === 'in-progress' ? refuseBusy(tx, task) : null);
}

/** Refuses to start a task whose resource another task uses. */
export function refuseBusy(tx: Tx, task: Task): Refusal | null {
  return refuseBusyResource(task, readWaits(tx, task));
}

function refuseMove(task: Task, to: TaskStatus): Refusal | null {
  if (canMove(task.status, to)) return null;
  const allowed = TASK_TRANSITIONS[task.status];
  const may = allowed.length === 0 ? 'it is final' : `it may go to ${allowed.join(', ')}`;
  const message = `${task.id} is ${task.status} and cannot go to ${to}: ${may}`;
  return { ...refuseTask('invalid_transition', message, task.id), path: '/status' };
}

/** Makes a legal move. The task's run and order end; a move to in-progress starts a run of its agent. */
export function moveByHand(tx: Tx, task: Task, { to, actor, reason, cause = null }: HandMove): TaskChange {
  // Baton's own move is told by its reason: "moved by dispatcher" would tell a person nothing.
  const message = actor === DISPATCHER && reason !== null ? reason : `moved by ${actor}`;
  const freed = release(tx, task, { message, keepsFiles: actor === FILESYSTEM || CONTINUES.includes(to) });
  if (to === 'in-progress') {
    const agent = task.routing.agent ?? OPERATOR;
    const started = startRun(tx, task, { agent, process: null, reason: reason ?? `moved by ${actor}`, actor });
    return { task: started.task, events: [...freed, ...started.events] };
  }
  const moved = transition(tx, task, { to, actor, reason, cause, with: { runId: null, reclaims: 0 } });
  return { task: moved.task, events: [...freed, ...moved.events] };
}

/** Statuses in which work continues with the files of the run, so these are not rolled back. */
const CONTINUES: readonly TaskStatus[] = ['in-progress', 'review', 'done'];

interface Release {
  readonly message: string;
  readonly keepsFiles: boolean;
}

/** Ends the run that holds the task, and its order. */
function release(tx: Tx, task: Task, { message, keepsFiles }: Release): LedgerEvent[] {
  const run = liveRunOf(tx, task);
  const abandoned = abandonOrder(tx, task, { message, keepsFiles });
  return run === null
    ? abandoned
    : [...abandoned, endRun(tx, run, { status: 'abandoned', endReason: 'moved by hand' }).event];
}
