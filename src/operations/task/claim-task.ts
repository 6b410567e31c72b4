import { isAgentName } from '../../domain/agent/agent.ts';
import { isRefusal, refuse } from '../../domain/refusal.ts';
import { decideClaim } from '../../domain/task/decide-claim.ts';
import { OPERATOR } from '../../domain/task/decide-sender.ts';
import type { Run } from '../../domain/task/run.ts';
import type { TaskName } from '../../domain/task/task.ts';
import { causedBy } from '../../domain/task/task-reason.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import { selectTask } from '../../ledger/statements/tasks.ts';
import { abandonOrder } from '../order/stop-order.ts';
import { type ClaimedTask, readWaits, startRun } from '../run/start-run.ts';
import { type TaskChange, transition } from './transition.ts';

export interface ClaimRequest {
  readonly taskId: TaskName;
  readonly agent: string;
  /** The process Baton started for it; null for a claim by hand. */
  readonly process: Run['process'];
}

/** Takes the lease of a task: a run of its own, with a fence higher than any before it. */
export const claimTask: Command<ClaimRequest, ClaimedTask> = (tx, { taskId, agent, process }) => {
  const task = selectTask(tx, taskId);
  if (!task) return refuse('task_not_found', `there is no task ${taskId}`);
  if (agent !== OPERATOR && !isAgentName(agent))
    return refuse('invalid_argument', `${JSON.stringify(agent)} is not a valid agent name`);
  const decision = decideClaim(task, { agent, ...readWaits(tx, task) });
  if (isRefusal(decision)) return decision;
  let claimed: TaskChange = {
    task,
    events: abandonOrder(tx, task, { message: `claimed by ${agent}`, keepsFiles: true }),
  };
  for (const to of decision.moves.slice(0, -1)) {
    const moved = transition(tx, claimed.task, { to, actor: agent, ...causedBy({ kind: 'claimed' }) });
    claimed = { task: moved.task, events: [...claimed.events, ...moved.events] };
  }
  const started = startRun(tx, claimed.task, { agent, process, ...causedBy({ kind: 'claimed' }) });
  return { ...started, events: [...claimed.events, ...started.events] };
};
