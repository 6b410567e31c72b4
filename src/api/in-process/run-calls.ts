import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import type { Run } from '../../domain/run.ts';
import type { Task } from '../../domain/task.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { beatRun } from '../../operations/beat-run.ts';
import { claimTask } from '../../operations/claim-task.ts';
import { endSession } from '../../operations/end-run.ts';
import { findTask } from '../../operations/find-task.ts';
import type { CallOptions, RunRequest, RunView, TaskView } from '../contract.ts';
import { viewRun, viewTask } from '../views.ts';

type Held = { readonly task: TaskView; readonly run: RunView };

/** What an agent that Baton did not start does with a task. */
export class RunCalls {
  readonly #ledger: Ledger;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  async claim(request: RunRequest, { key }: CallOptions = {}): Promise<Held | Refusal> {
    const task = findTask(this.#ledger.read, request.task);
    if (isRefusal(task)) return task;
    const facts = { taskId: task.id, agent: request.agent, process: null };
    const answer = await (key === undefined
      ? this.#ledger.submit(claimTask, facts)
      : this.#ledger.submitOnce(key, claimTask, facts));
    return viewHeld(answer);
  }

  async beat(request: RunRequest): Promise<Held | Refusal> {
    const task = findTask(this.#ledger.read, request.task);
    if (isRefusal(task)) return task;
    return viewHeld(await this.#ledger.submit(beatRun, { taskId: task.id, agent: request.agent, runId: request.run }));
  }

  async end(request: RunRequest, { key }: CallOptions = {}): Promise<TaskView | Refusal> {
    const task = findTask(this.#ledger.read, request.task);
    if (isRefusal(task)) return task;
    const facts = { taskId: task.id, agent: request.agent, runId: request.run };
    const answer = await (key === undefined
      ? this.#ledger.submit(endSession, facts)
      : this.#ledger.submitOnce(key, endSession, facts));
    return isRefusal(answer) ? answer : viewTask(answer.task);
  }
}

function viewHeld(answer: { readonly task: Task; readonly run: Run } | Refusal): Held | Refusal {
  return isRefusal(answer) ? answer : { task: viewTask(answer.task), run: viewRun(answer.run) };
}
