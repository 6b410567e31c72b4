import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import type { Run } from '../../domain/run.ts';
import type { Task, TaskName } from '../../domain/task.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { beatRun } from '../../operations/beat-run.ts';
import { claimTask } from '../../operations/claim-task.ts';
import { endSession } from '../../operations/end-session.ts';
import { nameTask } from '../../operations/find-task.ts';
import type { HeldTask } from '../contract.ts';
import type { Calls } from '../node-client.ts';
import { viewRun, viewTask } from '../views.ts';
import { submit } from './submit.ts';

export interface RunCallParts {
  readonly ledger: Ledger;
  /** Applies a result file that an agent wrote itself, if there is one. */
  takeResult(task: TaskName): Promise<void>;
  heard(runId: string): void;
}

/** Runs of agents that Baton did not start. */
export function runCalls({
  ledger,
  takeResult,
  heard,
}: RunCallParts): Pick<Calls, 'claimTask' | 'beatTask' | 'endTask'> {
  return {
    claimTask: async ({ task, agent }, options) => {
      const taskId = nameTask(ledger.read, task);
      if (isRefusal(taskId)) return taskId;
      return viewHeld(await submit(ledger, { command: claimTask, facts: { taskId, agent, process: null } }, options));
    },
    beatTask: async ({ task, agent, run = null }) => {
      const taskId = nameTask(ledger.read, task);
      if (isRefusal(taskId)) return taskId;
      const answer = await ledger.submit(beatRun, { taskId, agent, runId: run });
      if (!isRefusal(answer)) heard(answer.run.id);
      return viewHeld(answer);
    },
    endTask: async ({ task, agent, run = null }, options) => {
      const taskId = nameTask(ledger.read, task);
      if (isRefusal(taskId)) return taskId;
      await takeResult(taskId);
      return viewHeld(await submit(ledger, { command: endSession, facts: { taskId, agent, runId: run } }, options));
    },
  };
}

function viewHeld(answer: { readonly task: Task; readonly run: Run } | Refusal): HeldTask | Refusal {
  return isRefusal(answer) ? answer : { task: viewTask(answer.task), run: viewRun(answer.run) };
}
