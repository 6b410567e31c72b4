import { HEARTBEAT_TTL_MS, LEASE_TTL_MS } from '../../domain/limits.ts';
import { expiryAfter, type Now } from '../../domain/now.ts';
import { type Refusal, refuse } from '../../domain/refusal.ts';
import type { Run } from '../../domain/task/run.ts';
import type { Task, TaskName } from '../../domain/task/task.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import { touchTask } from '../../ledger/statements/mirror-files.ts';
import { selectRun, updateRunBeat } from '../../ledger/statements/runs.ts';
import { selectTask } from '../../ledger/statements/tasks.ts';
import type { Reader, Tx } from '../../ledger/tx.ts';

export interface RunReference {
  readonly taskId: TaskName;
  readonly agent: string;
  /** The run the channel carries; null where it carries none. */
  readonly runId: string | null;
}

/** A heartbeat of an agent: renews heartbeat and lease. */
export const beatRun: Command<RunReference, { readonly task: Task; readonly run: Run }> = (tx, reference) => {
  const live = liveRun(tx, reference);
  if (live.kind === 'refusal') return live;
  const run = beaten(live.run, tx.moment.now);
  updateRunBeat(tx, run);
  touchTask(tx, live.task.id);
  return { task: live.task, run };
};

/** A message of a task's holder is a sign of life: its heartbeat is a file of its own, so the tree has work. */
export function beatHolder(tx: Tx, task: Task, run: Run): void {
  updateRunBeat(tx, beaten(run, tx.moment.now));
  touchTask(tx, task.id);
}

/** The run after a sign of life: any message and any line of its agent is one (aof:heartbeat). */
export function beaten(run: Run, now: Now): Run {
  const lease = expiryAfter(now, LEASE_TTL_MS);
  const heart = expiryAfter(now, HEARTBEAT_TTL_MS);
  return {
    ...run,
    leaseExpires: lease,
    leaseExpiresAt: lease.wallMs,
    heartbeatExpires: heart,
    heartbeatExpiresAt: heart.wallMs,
    lastBeatAt: now.wallMs,
    beats: run.beats + 1,
  };
}

export type LiveRun = { readonly kind: 'live'; readonly task: Task; readonly run: Run };

/** The run that a reference means, if it lives and the agent is its own. */
export function liveRun(tx: Reader, { taskId, agent, runId }: RunReference): LiveRun | Refusal {
  const task = selectTask(tx, taskId);
  if (!task) return refuse('task_not_found', `there is no task ${taskId}`);
  if (runId !== null && runId !== task.runId) {
    return refuse(
      'stale_run',
      `${runId} is not the run of ${taskId}${task.runId === null ? '' : `, ${task.runId} is`}`,
    );
  }
  const run = task.runId === null ? null : selectRun(tx, task.runId);
  if (run?.status !== 'running') return notClaimed(taskId);
  if (run.agent !== agent) return refuse('unauthorized_agent', `${taskId} is held by ${run.agent}, not by ${agent}`);
  return { kind: 'live', task, run };
}

export function notClaimed(taskId: TaskName): Refusal {
  const hint = `claim the task first: baton task claim ${taskId} --agent NAME`;
  return { ...refuse('not_running', `no run of ${taskId} is live`), hint };
}
