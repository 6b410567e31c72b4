import type { TaskName } from '../domain/task.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { insertDependency } from '../ledger/statements/dependencies.ts';
import { countOpen, hasTask, selectTask, updateTaskFields } from '../ledger/statements/tasks.ts';

/** Gives the tasks it is to wait for that are not there. */
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
