import { refuse } from '../../domain/refusal.ts';
import type { Task, TaskName } from '../../domain/task/task.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import {
  deleteDependency,
  insertDependency,
  openDependencies,
  selectAwaited,
} from '../../ledger/statements/dependencies.ts';
import { insertEvent } from '../../ledger/statements/events.ts';
import { selectTask, updateTaskFields } from '../../ledger/statements/tasks.ts';
import type { Reader, Tx } from '../../ledger/tx.ts';
import type { TaskChange } from './transition.ts';

export interface DependRequest {
  readonly taskId: TaskName;
  readonly on: readonly TaskName[];
  readonly actor: string;
}

/** Makes a task wait for others; a cycle is refused. */
export const dependTask: Command<DependRequest, TaskChange> = (tx, { taskId, on, actor }) => {
  const task = selectTask(tx, taskId);
  if (!task) return refuse('task_not_found', `there is no task ${taskId}`);
  for (const needs of on) {
    if (!selectTask(tx, needs)) return refuse('task_not_found', `there is no task ${needs}`);
    if (reaches(tx, needs, taskId)) return refuse('dependency_cycle', `${needs} itself waits for ${taskId}`);
  }
  const added = on.filter((needs) => !task.dependsOn.includes(needs));
  if (added.length === 0) return { task, events: [] };
  const dependsOn = [...task.dependsOn, ...new Set(added)];
  const changed: Task = { ...task, dependsOn, revision: task.revision + 1, updatedAt: tx.moment.now.wallMs };
  for (const needs of added) insertDependency(tx, taskId, needs);
  updateTaskFields(tx, changed, selectAwaited(tx, changed).length);
  const payload = { fields: ['dependsOn'], added, reason: null };
  const event = insertEvent(tx, { type: 'task.edited', actor, taskId, payload });
  return { task: changed, events: [event] };
};

/** Whether one task depends on another, directly or through others. */
export function reaches(tx: Reader, from: TaskName, to: TaskName): boolean {
  const seen = new Set<TaskName>();
  const open = [from];
  for (let here = open.pop(); here !== undefined; here = open.pop()) {
    if (here === to) return true;
    if (seen.has(here)) continue;
    seen.add(here);
    open.push(...(selectTask(tx, here)?.dependsOn ?? []));
  }
  return false;
}

/** New tasks in the place of others. */
export type Replacements = ReadonlyMap<TaskName, TaskName>;

/** The same task, waiting for the new tasks in the place of those that are replaced. */
export function withReplaced(tx: Tx, task: Task, replaced: Replacements): Task {
  if (!task.dependsOn.some((id) => replaced.has(id))) return task;
  const dependsOn = task.dependsOn.map((id) => replaced.get(id) ?? id);
  for (const id of task.dependsOn) {
    const instead = replaced.get(id);
    if (instead === undefined) continue;
    deleteDependency(tx, task.id, id);
    insertDependency(tx, task.id, instead);
  }
  const changed = { ...task, dependsOn, revision: task.revision + 1, updatedAt: tx.moment.now.wallMs };
  updateTaskFields(tx, changed, openDependencies(tx, task.id));
  return changed;
}
