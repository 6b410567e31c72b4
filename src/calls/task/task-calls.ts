import type { HeldTask } from '../../api/contract.ts';
import type { Calls, RequestOf } from '../../api/node-client.ts';
import type { CallOptions, TaskView } from '../../api/task/task-view.ts';
import { viewRun, viewTask } from '../../api/task/views.ts';
import { isToBeSent, type OrderRequest } from '../../domain/order/order-request.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { decideRetry } from '../../domain/task/decide-run.ts';
import { OPERATOR } from '../../domain/task/decide-sender.ts';
import type { Run } from '../../domain/task/run.ts';
import type { Task, TaskName } from '../../domain/task/task.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { beatRun } from '../../operations/run/beat-run.ts';
import { endSession } from '../../operations/run/end-run.ts';
import { claimTask } from '../../operations/task/claim-task.ts';
import { createTask, type NewTask } from '../../operations/task/create-task.ts';
import { dependTask } from '../../operations/task/depend-task.ts';
import { editTask } from '../../operations/task/edit-task.ts';
import { findTask, nameTask, nameTasks } from '../../operations/task/find-task.ts';
import { moveTask, retryTask } from '../../operations/task/move-task.ts';
import type { SenderCaller } from '../../remote/sender/sender-calls.ts';
import { usualWorkspace } from '../../workspace/find-repository.ts';

export interface TaskCallParts {
  readonly ledger: Ledger;
  readonly orders: Pick<Calls, 'continueTask'>;
  /** Creates a task that another node is to run. */
  sendTask(request: OrderRequest, caller: SenderCaller): Promise<{ readonly task: Task } | Refusal>;
  readonly dataFolder: string;
  /** Called after a move that may have ended the run of a task. */
  reportSettled(): Promise<void>;
}

/** Tasks, made and changed by the operator. */
export function taskCalls(parts: TaskCallParts) {
  const { ledger } = parts;
  const change = changeTask(ledger);
  const move: Calls['moveTask'] = async ({ task, to, reason = null }, options) => {
    const about = (taskId: TaskName) => ({ command: moveTask, facts: { taskId, to, actor: OPERATOR, reason } });
    const moved = await change(task, about, options);
    if (!isRefusal(moved)) await parts.reportSettled();
    return moved;
  };
  return {
    createTask: createByHand(parts),
    moveTask: move,
    cancelTask: (request, options) => move({ ...request, to: 'cancelled' }, options),
    editTask: ({ task, reason = null, ...fields }, options) =>
      change(
        task,
        (taskId) => ({ command: editTask, facts: { taskId, change: fields, actor: OPERATOR, reason } }),
        options,
      ),
    retryTask: async ({ task }, options) => {
      const found = findTask(ledger.read, task);
      if (isRefusal(found)) return found;
      if (decideRetry(found).kind === 'follow-up') {
        const taken = await parts.orders.continueTask({ task: found.id }, options);
        return isRefusal(taken) ? taken : taken.task;
      }
      return await change(found.id, (taskId) => ({ command: retryTask, facts: { taskId, actor: OPERATOR } }), options);
    },
    dependTask: async ({ task, on }, options) => {
      const names = nameTasks(ledger.read, on);
      if (isRefusal(names)) return names;
      return await change(
        task,
        (taskId) => ({ command: dependTask, facts: { taskId, on: names, actor: OPERATOR } }),
        options,
      );
    },
  } satisfies Partial<Calls>;
}

/** Creates a task for the operator. */
function createByHand({ ledger, sendTask, dataFolder }: TaskCallParts): Calls['createTask'] {
  return async (request, options) => {
    const dependsOn = nameTasks(ledger.read, request.dependsOn ?? []);
    if (isRefusal(dependsOn)) return dependsOn;
    const parent = request.parent ? findTask(ledger.read, request.parent) : null;
    if (isRefusal(parent)) return parent;
    const facts = newTask(request, dependsOn, parent?.id ?? null);
    if (isToBeSent(request)) {
      const sent = await sendTask(sentRequest(request, dataFolder), { ...options, ...facts });
      return isRefusal(sent) ? sent : viewTask(sent.task);
    }
    const answer = await submit(ledger, { command: createTask, facts }, options);
    return isRefusal(answer) ? answer : viewTask(answer.task);
  };
}

/** The order of a task that another node is to run: its title and body. */
function sentRequest(request: RequestOf<'createTask'>, dataFolder: string): OrderRequest {
  const { title, body = '', agent = null, on = [], needs = [], checks = [], deadlineSeconds, reviewRequired } = request;
  return {
    text: [title, body.trim()].filter(Boolean).join('\n\n'),
    workspace: usualWorkspace(dataFolder),
    ...(agent !== null && { agent }),
    on,
    needs,
    checks,
    ...(deadlineSeconds !== undefined && { deadlineSeconds }),
    reviewRequired: reviewRequired ?? true,
  };
}

function newTask(request: RequestOf<'createTask'>, dependsOn: readonly TaskName[], parentId: TaskName | null): NewTask {
  return {
    title: request.title,
    body: request.body ?? '',
    priority: request.priority ?? 'normal',
    agent: request.agent ?? null,
    role: request.role ?? null,
    team: request.team ?? null,
    tags: request.tags ?? [],
    resource: request.resource ?? null,
    parentId,
    dependsOn: [...new Set(dependsOn)],
    metadata: {
      ...(request.reviewRequired !== undefined && { reviewRequired: request.reviewRequired }),
      ...(request.checks && request.checks.length > 0 && { checks: request.checks }),
    },
    createdBy: OPERATOR,
  };
}

export interface RunCallParts {
  readonly ledger: Ledger;
  /** Applies a result file that an agent wrote itself, if there is one. */
  takeResult(task: TaskName): Promise<void>;
  onHeartbeat(runId: string): void;
}

/** Runs of agents that Baton did not start. */
export function runCalls({ ledger, takeResult, onHeartbeat }: RunCallParts) {
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
      if (!isRefusal(answer)) onHeartbeat(answer.run.id);
      return viewHeld(answer);
    },
    endTask: async ({ task, agent, run = null }, options) => {
      const taskId = nameTask(ledger.read, task);
      if (isRefusal(taskId)) return taskId;
      await takeResult(taskId);
      return viewHeld(await submit(ledger, { command: endSession, facts: { taskId, agent, runId: run } }, options));
    },
  } satisfies Partial<Calls>;
}

function viewHeld(answer: { readonly task: Task; readonly run: Run } | Refusal): HeldTask | Refusal {
  return isRefusal(answer) ? answer : { task: viewTask(answer.task), run: viewRun(answer.run) };
}

interface Submission<Facts, Result> {
  readonly command: Command<Facts, Result>;
  readonly facts: Facts;
}

/** Runs a command; with a key, the same request sent again gets the first answer. */
export function submit<Facts, Result>(
  ledger: Ledger,
  { command, facts }: Submission<Facts, Result>,
  { key }: CallOptions = {},
): Promise<Result | Refusal> {
  return ledger.submitOnce(key, command, facts);
}

type ChangeOf<Facts> = (taskId: TaskName) => Submission<Facts & { readonly taskId: TaskName }, { readonly task: Task }>;

/** Finds the task that a reference means, changes it, and answers with the changed task. */
function changeTask(ledger: Ledger) {
  return async <Facts>(
    reference: string,
    change: ChangeOf<Facts>,
    options: CallOptions = {},
  ): Promise<TaskView | Refusal> => {
    const taskId = nameTask(ledger.read, reference);
    if (isRefusal(taskId)) return taskId;
    const answer = await submit(ledger, change(taskId), options);
    return isRefusal(answer) ? answer : viewTask(answer.task);
  };
}
