import { HEARTBEAT_TTL_MS, LEASE_TTL_MS, RECOVERY_RUNS_PER_TICK_MAX } from '../../domain/limits.ts';
import { expiryAfter } from '../../domain/now.ts';
import type { Run } from '../../domain/task/run.ts';
import type { Task } from '../../domain/task/task.ts';
import type { LedgerEvent } from '../../domain/trace/ledger-event.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import { touchTask } from '../../ledger/statements/mirror-files.ts';
import { selectRunsOfOtherBoots, selectStaleRuns, updateRunBeat } from '../../ledger/statements/runs.ts';
import { selectTask } from '../../ledger/statements/tasks.ts';
import type { Tx } from '../../ledger/tx.ts';
import { closeRun } from './end-run.ts';

/** One bounded turn of recovery: runs without a heartbeat, and runs from before the last boot. */
export const recoverRuns: Command<{ readonly limit?: number }, { readonly events: readonly LedgerEvent[] }> = (
  tx,
  facts,
) => {
  const limit = facts.limit ?? RECOVERY_RUNS_PER_TICK_MAX;
  const events: LedgerEvent[] = [];
  for (const run of selectStaleRuns(tx, tx.moment.now, limit)) events.push(...close(tx, run, 'stale_heartbeat'));
  for (const run of selectRunsOfOtherBoots(tx, tx.moment.now, limit)) events.push(...recoverOtherBoot(tx, run));
  return { events };
};

/** After a reboot a process that Baton started is dead; a claim by hand gets one new lease. */
function recoverOtherBoot(tx: Tx, run: Run): readonly LedgerEvent[] {
  if (run.process !== null) return close(tx, run, 'machine_restarted');
  const lease = expiryAfter(tx.moment.now, LEASE_TTL_MS);
  const beat = expiryAfter(tx.moment.now, HEARTBEAT_TTL_MS);
  updateRunBeat(tx, {
    ...run,
    leaseExpires: lease,
    leaseExpiresAt: lease.wallMs,
    heartbeatExpires: beat,
    heartbeatExpiresAt: beat.wallMs,
  });
  touchTask(tx, run.taskId);
  return [];
}

function close(tx: Tx, run: Run, end: 'stale_heartbeat' | 'machine_restarted'): readonly LedgerEvent[] {
  return closeRun(tx, { task: taskOf(tx, run), run }, end).events;
}

function taskOf(tx: Tx, run: Run): Task {
  const task = selectTask(tx, run.taskId);
  if (!task) throw new Error(`run ${run.id} has no task`);
  return task;
}
