import { HEARTBEAT_TTL_MS, LEASE_TTL_MS } from '../../domain/limits.ts';
import { expiryAfter } from '../../domain/now.ts';
import type { Waits } from '../../domain/task/decide-claim.ts';
import type { Run } from '../../domain/task/run.ts';
import type { Task } from '../../domain/task/task.ts';
import type { LedgerEvent } from '../../domain/trace/ledger-event.ts';
import { openDependencies } from '../../ledger/statements/dependencies.ts';
import { insertEvent } from '../../ledger/statements/events.ts';
import { insertRun } from '../../ledger/statements/runs.ts';
import { selectResourceHolder } from '../../ledger/statements/tasks.ts';
import type { Moment, Reader, Tx } from '../../ledger/tx.ts';
import { type Move, transition } from '../task/transition.ts';

export interface ClaimedTask {
  readonly task: Task;
  readonly run: Run;
  readonly events: readonly LedgerEvent[];
}

interface RunStart {
  readonly agent: string;
  readonly process: Run['process'];
  readonly reason: string;
  readonly cause?: Move['cause'];
  /** The author of the move; by default the agent. */
  readonly actor?: string;
}

/** Moves a task to in-progress with a new run. The caller has checked that it may start. */
export function startRun(tx: Tx, task: Task, start: RunStart): ClaimedTask {
  const run = newRun(task, start, tx.moment);
  insertRun(tx, run);
  const move = {
    to: 'in-progress',
    actor: start.actor ?? start.agent,
    reason: start.reason,
    cause: start.cause ?? null,
    with: { runId: run.id, fence: run.fence },
  } as const;
  const moved = transition(tx, task, move);
  const payload = { run: run.id, fence: run.fence, expiresAt: new Date(run.leaseExpiresAt).toISOString() };
  const claimed = insertEvent(tx, {
    type: 'task.claimed',
    actor: start.agent,
    taskId: task.id,
    runId: run.id,
    payload,
  });
  return { task: moved.task, run, events: [...moved.events, claimed] };
}

function newRun(task: Task, start: RunStart, { now, ids }: Moment): Run {
  const lease = expiryAfter(now, LEASE_TTL_MS);
  const beat = expiryAfter(now, HEARTBEAT_TTL_MS);
  return {
    id: `run_${ids.ulid()}`,
    taskId: task.id,
    fence: task.fence + 1,
    agent: start.agent,
    status: 'running',
    startedAt: now.wallMs,
    endedAt: null,
    endReason: null,
    leaseExpires: lease,
    leaseExpiresAt: lease.wallMs,
    heartbeatExpires: beat,
    heartbeatExpiresAt: beat.wallMs,
    lastBeatAt: now.wallMs,
    beats: 0,
    process: start.process,
    result: null,
  };
}

/** The open dependencies of a task, and the holder of its resource. */
export function readWaits(tx: Reader, task: Task): Waits {
  return {
    openDependencies: task.dependsOn.length === 0 ? 0 : openDependencies(tx, task.id),
    resourceHolder: task.resource === null ? null : selectResourceHolder(tx, task.resource),
  };
}
