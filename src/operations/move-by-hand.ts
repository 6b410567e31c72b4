import { refuseBusyResource } from '../domain/decisions/decide-claim.ts';
import { FILESYSTEM, OPERATOR } from '../domain/decisions/decide-sender.ts';
import type { LedgerEvent } from '../domain/ledger-event.ts';
import { type Refusal, refuse } from '../domain/refusal.ts';
import type { Task } from '../domain/task.ts';
import { canMove, TASK_TRANSITIONS, type TaskStatus } from '../domain/task-lifecycle.ts';
import { liveRunOf } from '../ledger/statements/runs.ts';
import type { Tx } from '../ledger/tx.ts';
import { abandonOrder } from './abandon-order.ts';
import { readWaits } from './read-waits.ts';
import { startRun } from './start-run.ts';
import { endRun, type Moved, transition } from './transition.ts';

export interface HandMove {
  readonly to: TaskStatus;
  readonly actor: string;
  readonly reason: string | null;
}

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

/** A move that was found legal. What held the task is let go; into in-progress it goes with a run of its agent. */
export function moveByHand(tx: Tx, task: Task, { to, actor, reason }: HandMove): Moved {
  const freed = letGo(tx, task, { by: actor, keepsFiles: actor === FILESYSTEM || GOES_ON.includes(to) });
  if (to === 'in-progress') {
    const agent = task.routing.agent ?? OPERATOR;
    const started = startRun(tx, task, { agent, process: null, reason: reason ?? `moved by ${actor}`, actor });
    return { task: started.task, events: [...freed, ...started.events] };
  }
  const moved = transition(tx, task, { to, actor, reason, with: { runId: null, reclaims: 0 } });
  return { task: moved.task, events: [...freed, ...moved.events] };
}

/** Somebody goes on with what is there. So may they where a file was moved: that may have been long ago. */
const GOES_ON: readonly TaskStatus[] = ['in-progress', 'review', 'done'];

interface Taking {
  readonly by: string;
  readonly keepsFiles: boolean;
}

/** Whoever holds the task no longer does: neither the run nor the order behind it goes on. */
function letGo(tx: Tx, task: Task, { by, keepsFiles }: Taking): LedgerEvent[] {
  const run = liveRunOf(tx, task);
  const abandoned = abandonOrder(tx, task, { message: `moved by ${by}`, keepsFiles });
  return run === null
    ? abandoned
    : [...abandoned, endRun(tx, run, { status: 'abandoned', endReason: 'moved by hand' })];
}
