import type { Refusal } from '../../domain/refusal.ts';
import { FILESYSTEM } from '../../domain/task/decide-sender.ts';
import type { Task } from '../../domain/task/task.ts';
import { type TaskEdit, withTaskText } from '../../domain/task/task-text.ts';
import { deleteDependency, insertDependency, selectAwaited } from '../../ledger/statements/dependencies.ts';
import { insertEvent } from '../../ledger/statements/events.ts';
import { updateTaskFields } from '../../ledger/statements/tasks.ts';
import type { Tx } from '../../ledger/tx.ts';
import { moveByHand, refuseMoveByHand } from './move-by-hand.ts';
import { refuseOtherAgent, refuseTaskText } from './refuse-task-text.ts';
import type { TaskChange } from './transition.ts';

/** Applies an edit of a task's file by the actor `filesystem`: all of it, or nothing. */
export function editByHand(tx: Tx, task: Task, edit: TaskEdit): TaskChange | Refusal {
  const refusal =
    refuseTaskText(tx, edit.text, task.id) ??
    refuseOtherAgent(tx, task, edit.text.agent) ??
    refuseStatus(tx, withTaskText(task, edit.text), edit);
  if (refusal) return refusal;
  const edited: TaskChange = edit.changed.length === 0 ? { task, events: [] } : changeText(tx, task, edit);
  if (edit.to === null) return edited;
  const moved = moveByHand(tx, edited.task, { to: edit.to, actor: FILESYSTEM, reason: null });
  return { task: moved.task, events: [...edited.events, ...moved.events] };
}

function refuseStatus(tx: Tx, task: Task, { to }: TaskEdit): Refusal | null {
  return to === null ? null : refuseMoveByHand(tx, task, to);
}

function changeText(tx: Tx, task: Task, { text, changed }: TaskEdit): TaskChange {
  const revision = task.revision + 1;
  const kept: Task = { ...withTaskText(task, text), revision, updatedAt: tx.moment.now.wallMs };
  // A dependency that released the task stays released.
  for (const needs of kept.dependsOn) if (!task.dependsOn.includes(needs)) insertDependency(tx, task.id, needs);
  for (const needs of task.dependsOn) if (!kept.dependsOn.includes(needs)) deleteDependency(tx, task.id, needs);
  updateTaskFields(tx, kept, selectAwaited(tx, kept).length);
  return { task: kept, events: [logEdit(tx, task, { kept, changed })] };
}

function logEdit(tx: Tx, task: Task, done: { readonly kept: Task; readonly changed: readonly string[] }) {
  const { kept, changed } = done;
  const priority = changed.includes('priority') ? { oldPriority: task.priority, newPriority: kept.priority } : {};
  const payload = { fields: changed, reason: null, ...priority };
  return insertEvent(tx, { type: 'task.edited', actor: FILESYSTEM, taskId: task.id, payload });
}
