import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import type { Run } from '../../domain/run.ts';
import type { Task, TaskName } from '../../domain/task.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { beatRun } from '../../operations/beat-run.ts';
import { claimTask } from '../../operations/claim-task.ts';
import { endSession } from '../../operations/end-session.ts';
import { nameTask } from '../../operations/name-task.ts';
import type { HeldTask, RunRequest } from '../contract.ts';
import type { CallOptions } from '../task-view.ts';
import { viewRun, viewTask } from '../views.ts';
import { submit } from './submit.ts';

export interface RunParts {
  readonly ledger: Ledger;
  /** Takes over a result that an agent wrote itself, if there is one. */
  takeResult(task: TaskName): Promise<void>;
  heard(runId: string): void;
}

/** What an agent that Baton did not start does with a task. */
export class RunCalls {
  readonly #ledger: Ledger;
  readonly #takeResult: RunParts['takeResult'];
  readonly #heard: RunParts['heard'];

  constructor({ ledger, takeResult, heard }: RunParts) {
    this.#ledger = ledger;
    this.#takeResult = takeResult;
    this.#heard = heard;
  }

  async claim(request: RunRequest, options: CallOptions = {}): Promise<HeldTask | Refusal> {
    const taskId = nameTask(this.#ledger.read, request.task);
    if (isRefusal(taskId)) return taskId;
    const facts = { taskId, agent: request.agent, process: null };
    const answer = await submit(this.#ledger, { command: claimTask, facts }, options);
    return viewHeld(answer);
  }

  async beat(request: RunRequest): Promise<HeldTask | Refusal> {
    const taskId = nameTask(this.#ledger.read, request.task);
    if (isRefusal(taskId)) return taskId;
    const answer = await this.#ledger.submit(beatRun, { taskId, agent: request.agent, runId: request.run });
    if (!isRefusal(answer)) this.#heard(answer.run.id);
    return viewHeld(answer);
  }

  async end(request: RunRequest, options: CallOptions = {}): Promise<HeldTask | Refusal> {
    const taskId = nameTask(this.#ledger.read, request.task);
    if (isRefusal(taskId)) return taskId;
    await this.#takeResult(taskId);
    const facts = { taskId, agent: request.agent, runId: request.run };
    return viewHeld(await submit(this.#ledger, { command: endSession, facts }, options));
  }
}

function viewHeld(answer: { readonly task: Task; readonly run: Run } | Refusal): HeldTask | Refusal {
  return isRefusal(answer) ? answer : { task: viewTask(answer.task), run: viewRun(answer.run) };
}
