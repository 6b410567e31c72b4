import type { StatusAnswer } from '../../api/contract.ts';
import { type RunSight, viewRunNow, viewTaskLine } from '../../api/task/views.ts';
import type { TaskStatus } from '../../domain/task/task-lifecycle.ts';
import { selectLastReason } from '../../ledger/statements/events.ts';
import { selectOpenIncidents } from '../../ledger/statements/incidents.ts';
import { selectRun } from '../../ledger/statements/runs.ts';
import { countToApply, countUndecided, selectUndecided } from '../../ledger/statements/task-work.ts';
import { countByStatus, selectByUrgency } from '../../ledger/statements/tasks.ts';
import type { Reader } from '../../ledger/tx.ts';
import { interruptedSessions } from '../session/session-views.ts';
import { viewOverlaps, workToApply } from '../work/overlap-views.ts';
import { type AttentionSight, attentionOf, fullDisk, questionsInStatus } from './attention-calls.ts';
import { viewRemote } from './remote-views.ts';
import { viewWait, type WaitSight } from './wait-views.ts';

export interface ReadParts extends RunSight, AttentionSight, WaitSight {
  readonly dataFolder: string;
}

export const SHOWN_IN_STATUS_MAX = 50;

/** Its cost grows with the open tasks, not with the finished ones. */
export function statusOf(parts: ReadParts): StatusAnswer {
  const { read, dataFolder: data } = parts;
  const counts = countByStatus(read);
  const { items, total } = attentionOf(read, parts);
  return {
    data,
    counts,
    running: urgent(read, 'in-progress').map((task) => ({
      ...viewTaskLine(task),
      run: runOf(parts, task.runId),
      overlaps: viewOverlaps(parts.overlaps?.of(task.id) ?? []),
      remote: viewRemote(read, task),
    })),
    interruptedSessions: interruptedSessions(parts, SHOWN_IN_STATUS_MAX),
    waiting: urgent(read, 'ready', 'backlog').map((task) => ({ ...viewTaskLine(task), ...viewWait(task, parts) })),
    needsYou: NEEDS_YOU.flatMap((status) => selectUndecided(read, status, SHOWN_IN_STATUS_MAX))
      .slice(0, SHOWN_IN_STATUS_MAX)
      .map((task) => ({ ...viewTaskLine(task), ...selectLastReason(read, task.id) })),
    toApply: workToApply(parts, SHOWN_IN_STATUS_MAX),
    attention: { items: items.slice(0, SHOWN_IN_STATUS_MAX), total },
    questions: questionsInStatus(read, SHOWN_IN_STATUS_MAX),
    totals: { needsYou: countNeedsYou(read), toApply: countToApply(read) },
    incidents: [...fullDisk(parts), ...selectOpenIncidents(read, SHOWN_IN_STATUS_MAX)].map(
      ({ openedAt, subject: _subject, ...incident }) => ({ ...incident, openedAt: new Date(openedAt).toISOString() }),
    ),
  };
}

const NEEDS_YOU = ['review', 'blocked', 'deadletter'] as const;

function countNeedsYou(read: Reader): number {
  return NEEDS_YOU.reduce((sum, status) => sum + countUndecided(read, status), 0);
}

function urgent(read: Reader, ...statuses: readonly TaskStatus[]) {
  return statuses.flatMap((status) => selectByUrgency(read, status, SHOWN_IN_STATUS_MAX)).slice(0, SHOWN_IN_STATUS_MAX);
}

function runOf(parts: ReadParts, runId: string | null) {
  const run = runId === null ? null : selectRun(parts.read, runId);
  return run && viewRunNow(run, parts);
}
