import type { Task } from '../../domain/task.ts';
import type { TaskStatus } from '../../domain/task-lifecycle.ts';
import { selectLastReason } from '../../ledger/statements/events.ts';
import { selectOpenIncidents } from '../../ledger/statements/incidents.ts';
import { selectRun } from '../../ledger/statements/runs.ts';
import { countToApply, countUndecided, selectUndecided } from '../../ledger/statements/task-work.ts';
import { countByStatus, selectByUrgency } from '../../ledger/statements/tasks.ts';
import type { Reader } from '../../ledger/tx.ts';
import type { TaskWait } from '../contract.ts';
import { type RunSight, viewRunNow, viewTaskLine } from '../views.ts';
import { attentionOf, fullDisk } from './attention-calls.ts';
import { workToApply } from './work-to-apply.ts';

export interface ReadParts extends RunSight {
  readonly read: Reader;
  readonly dataFolder: string;
  /** Whether the configuration of this node names the agent. */
  isConfigured(agent: string): boolean;
  /** The hold on the account of an agent; null while its vendor serves it. */
  quotaOf?(agent: string): { readonly account: string; readonly until: number } | null;
  /** The instant since which the disk has no room; an incident cannot be recorded then. */
  fullSinceMs?(): number | null;
}

export const SHOWN_IN_STATUS_MAX = 50;

/** Its cost grows with the open tasks, not with the finished ones. */
export function statusOf(parts: ReadParts) {
  const { read, dataFolder: data } = parts;
  const counts = countByStatus(read);
  const { items, total } = attentionOf(read, fullDisk(parts));
  return {
    data,
    counts,
    running: urgent(read, 'in-progress').map((task) => ({ ...viewTaskLine(task), run: runOf(parts, task.runId) })),
    waiting: urgent(read, 'ready', 'backlog').map((task) => ({ ...viewTaskLine(task), ...waitOf(task, parts) })),
    needsYou: NEEDS_YOU.flatMap((status) => selectUndecided(read, status, SHOWN_IN_STATUS_MAX))
      .slice(0, SHOWN_IN_STATUS_MAX)
      .map((task) => ({ ...viewTaskLine(task), ...selectLastReason(read, task.id) })),
    toApply: workToApply(read, SHOWN_IN_STATUS_MAX),
    attention: { items: items.slice(0, SHOWN_IN_STATUS_MAX), total },
    totals: { needsYou: countNeedsYou(read), toApply: countToApply(read) },
    incidents: [...fullDisk(parts), ...selectOpenIncidents(read, SHOWN_IN_STATUS_MAX)].map(
      ({ openedAt, ...incident }) => ({ ...incident, openedAt: new Date(openedAt).toISOString() }),
    ),
  };
}

const NEEDS_YOU = ['review', 'blocked', 'deadletter'] as const;

function countNeedsYou(read: Reader): number {
  return NEEDS_YOU.reduce((sum, status) => sum + countUndecided(read, status), 0);
}

export function waitOf({ status, routing: { agent } }: Task, { isConfigured, quotaOf }: ReadParts): TaskWait {
  const isWaiting = status === 'ready' || status === 'backlog';
  if (!isWaiting || agent === null) return { missingAgent: null, quota: null };
  const hold = quotaOf?.(agent) ?? null;
  return {
    missingAgent: isConfigured(agent) ? null : agent,
    quota: hold && { account: hold.account, until: new Date(hold.until).toISOString() },
  };
}

function urgent(read: Reader, ...statuses: readonly TaskStatus[]) {
  return statuses.flatMap((status) => selectByUrgency(read, status, SHOWN_IN_STATUS_MAX)).slice(0, SHOWN_IN_STATUS_MAX);
}

function runOf(parts: ReadParts, runId: string | null) {
  const run = runId === null ? null : selectRun(parts.read, runId);
  return run && viewRunNow(run, parts);
}
