import { isAgentName } from '../../domain/agent/agent.ts';
import { type Refusal, refuse } from '../../domain/refusal.ts';
import type { Priority, Task, TaskName, TaskUid } from '../../domain/task/task.ts';
import type { LedgerEvent } from '../../domain/trace/ledger-event.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import { insertDependency } from '../../ledger/statements/dependencies.ts';
import { insertEvent } from '../../ledger/statements/events.ts';
import { nextTaskName } from '../../ledger/statements/task-names.ts';
import { countOpen, hasTask, insertTask } from '../../ledger/statements/tasks.ts';
import type { Tx } from '../../ledger/tx.ts';
import { refuseLabels, refuseTitleAndBody } from './refuse-task-text.ts';

export interface NewTask {
  readonly title: string;
  readonly body: string;
  readonly priority: Priority;
  readonly agent: string | null;
  readonly role: string | null;
  readonly team: string | null;
  readonly tags: readonly string[];
  readonly resource: string | null;
  readonly parentId: TaskName | null;
  readonly dependsOn: readonly TaskName[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly createdBy: string;
  /** The session of the order that the task is created for. */
  readonly sessionId?: string;
}

export interface CreatedTask {
  readonly task: Task;
  readonly events: readonly LedgerEvent[];
}

/** Creates a task in backlog. */
export const createTask: Command<NewTask, CreatedTask> = (tx, facts) => {
  const refusal = refuseNewTask(tx, facts);
  if (refusal) return refusal;
  const task = draftOf(tx, facts, nextTaskName(tx, tx.moment.now.wallMs));
  return { task, events: [storeTask(tx, task, countOpen(tx, task.dependsOn))] };
};

/** The row of a new task in backlog; nothing of it is stored yet. */
export function draftOf(tx: Tx, facts: NewTask, id: TaskName): Task {
  const { wallMs } = tx.moment.now;
  return {
    id,
    uid: `tsk_${tx.moment.ids.ulid()}` as TaskUid,
    title: facts.title.trim(),
    status: 'backlog',
    priority: facts.priority,
    routing: { agent: facts.agent, role: facts.role, team: facts.team, tags: facts.tags },
    resource: facts.resource,
    parentId: facts.parentId,
    dependsOn: [...new Set(facts.dependsOn)],
    body: facts.body,
    metadata: facts.metadata,
    sla: null,
    createdAt: wallMs,
    updatedAt: wallMs,
    lastTransitionAt: wallMs,
    createdBy: facts.createdBy,
    runId: null,
    fence: 0,
    revision: 1,
    reclaims: 0,
    headHash: null,
    sessionId: facts.sessionId ?? null,
    work: null,
  };
}

/** Stores a new task with its dependencies, and logs it. */
export function storeTask(tx: Tx, task: Task, openDependencies: number): LedgerEvent {
  insertTask(tx, task, openDependencies);
  for (const needs of task.dependsOn) insertDependency(tx, task.id, needs);
  const { continues } = task.metadata;
  const payload = {
    uid: task.uid,
    title: task.title,
    agent: task.routing.agent,
    priority: task.priority,
    ...(continues !== undefined && { continues }),
  };
  return insertEvent(tx, { type: 'task.created', actor: task.createdBy, taskId: task.id, payload });
}

/** Refuses text, labels and an agent's name that no task may have. */
export function refuseNewText(facts: NewTask): Refusal | null {
  const wrongText = refuseTitleAndBody(facts.title, facts.body) ?? refuseLabels(facts);
  if (wrongText) return wrongText;
  if (facts.agent === null || isAgentName(facts.agent)) return null;
  return refuse('invalid_argument', `${JSON.stringify(facts.agent)} is not a valid agent name`, '/agent');
}

function refuseNewTask(tx: Tx, facts: NewTask): Refusal | null {
  const wrongText = refuseNewText(facts);
  if (wrongText) return wrongText;
  if (facts.parentId !== null && !hasTask(tx, facts.parentId)) {
    return refuse('parent_not_found', `there is no task ${facts.parentId}`, '/parent');
  }
  const unknown = facts.dependsOn.find((needs) => !hasTask(tx, needs));
  return unknown === undefined ? null : refuse('task_not_found', `there is no task ${unknown}`, '/dependsOn');
}
