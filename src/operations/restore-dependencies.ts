import type { TaskName } from '../domain/task.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { insertDependency } from '../ledger/statements/dependencies.ts';
import { countOpen, hasTask, selectTask, updateTaskFields } from '../ledger/statements/tasks.ts';

/** Inserts the dependencies of a restored task and returns those whose task was not restored. */
export const restoreDependencies: Command<{ readonly id: TaskName }, { readonly missing: readonly TaskName[] }> = (
  tx,
  { id },
) => {
  const task = selectTask(tx, id);
  if (!task) return { missing: [] };
  const missing = task.dependsOn.filter((needs) => !hasTask(tx, needs));
  const dependsOn = task.dependsOn.filter((needs) => !missing.includes(needs));
  const parentId = task.parentId !== null && hasTask(tx, task.parentId) ? task.parentId : null;
  updateTaskFields(tx, { ...task, dependsOn, parentId }, countOpen(tx, dependsOn));
  for (const needs of dependsOn) insertDependency(tx, id, needs);
  return { missing };
};
