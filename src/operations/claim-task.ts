import { isAgentName } from '../domain/agent.ts';
import { decideClaim } from '../domain/decisions/decide-claim.ts';
import { OPERATOR } from '../domain/decisions/decide-sender.ts';
import type { LedgerEvent } from '../domain/ledger-event.ts';
import { HEARTBEAT_TTL_MS, LEASE_TTL_MS } from '../domain/limits.ts';
import { expiryAfter } from '../domain/now.ts';
import { isRefusal, refuse } from '../domain/refusal.ts';
import type { Run } from '../domain/run.ts';
import type { Task, TaskName } from '../domain/task.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { openDependencies } from '../ledger/statements/dependencies.ts';
import { insertEvent } from '../ledger/statements/insert-event.ts';
import { insertRun } from '../ledger/statements/insert-run.ts';
import { selectResourceHolder } from '../ledger/statements/select-resource-holder.ts';
import { selectTask } from '../ledger/statements/select-task.ts';
import type { Moment, Tx } from '../ledger/tx.ts';
import { transition } from './transition.ts';

export interface ClaimRequest {
  readonly taskId: TaskName;
  readonly agent: string;
  /** The process Baton started for it; null for a claim by hand. */
  readonly process: Run['process'];
}

export interface Claimed {
  readonly task: Task;
  readonly run: Run;
  readonly events: readonly LedgerEvent[];
}

/** Takes the lease of a task: a run of its own, with a fence higher than any before it. */
export const claimTask: Command<ClaimRequest, Claimed> = (tx, { taskId, agent, process }) => {
  const task = selectTask(tx, taskId);
  if (!task) return refuse('task_not_found', `there is no task ${taskId}`);
  if (agent !== OPERATOR && !isAgentName(agent))
    return refuse('invalid_argument', `${JSON.stringify(agent)} is no name for an agent`);
  const decision = decideClaim(task, {
    agent,
    openDependencies: openDependencies(tx, task.id),
    resourceHolder: task.resource === null ? null : selectResourceHolder(tx, task.resource),
  });
  if (isRefusal(decision)) return decision;
  const events: LedgerEvent[] = [];
  let claimed = task;
  for (const to of decision.moves.slice(0, -1)) {
    const moved = transition(tx, claimed, { to, actor: agent, reason: 'claim' });
    claimed = moved.task;
    events.push(...moved.events);
  }
  const started = startRun(tx, claimed, { agent, process, reason: 'claim' });
  return { ...started, events: [...events, ...started.events] };
};

export interface RunStart {
  readonly agent: string;
  readonly process: Run['process'];
  readonly reason: string;
}

/** The move to in-progress with its new run, for a task that may make it. */
export function startRun(tx: Tx, task: Task, start: RunStart): Claimed {
  const run = newRun(task, start, tx.moment);
  insertRun(tx, run);
  const move = {
    to: 'in-progress',
    actor: start.agent,
    reason: start.reason,
    with: { runId: run.id, fence: run.fence },
  } as const;
  const moved = transition(tx, task, move);
  const payload = { run: run.id, fence: run.fence, expiresAt: new Date(run.leaseExpiresAt).toISOString() };
  const claimed = insertEvent(tx, { type: 'task.claimed', actor: start.agent, taskId: task.id, payload });
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
