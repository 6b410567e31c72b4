import type { Task } from '../../domain/task.ts';
import type { TaskStatus } from '../../domain/task-lifecycle.ts';
import { selectLastReason } from '../../ledger/statements/events.ts';
import { selectOpenIncidents } from '../../ledger/statements/incidents.ts';
import { selectRun } from '../../ledger/statements/runs.ts';
import { countByStatus, selectByUrgency } from '../../ledger/statements/tasks.ts';
import type { Reader } from '../../ledger/tx.ts';
import type { StatusAnswer } from '../contract.ts';
import { viewRun, viewTaskLine } from '../views.ts';

const SHOWN_IN_STATUS_MAX = 50;

/** Its cost grows with what is open, not with what is done. */
export function statusOf(read: Reader, data: string): StatusAnswer {
  return {
    data,
    counts: countByStatus(read),
    running: urgent(read, 'in-progress').map((task) => ({ ...viewTaskLine(task), run: runOf(read, task) })),
    waiting: urgent(read, 'ready', 'backlog').map(viewTaskLine),
    needsYou: urgent(read, 'review', 'blocked', 'deadletter').map((task) => ({
      ...viewTaskLine(task),
      reason: selectLastReason(read, task.id),
    })),
    incidents: selectOpenIncidents(read, SHOWN_IN_STATUS_MAX).map(({ openedAt, ...incident }) => ({
      ...incident,
      openedAt: new Date(openedAt).toISOString(),
    })),
  };
}

function urgent(read: Reader, ...statuses: readonly TaskStatus[]): Task[] {
  return statuses.flatMap((status) => selectByUrgency(read, status, SHOWN_IN_STATUS_MAX)).slice(0, SHOWN_IN_STATUS_MAX);
}

function runOf(read: Reader, task: Task) {
  const run = task.runId === null ? null : selectRun(read, task.runId);
  return run && viewRun(run);
}
