import type { TaskLine } from '../../api/contract.ts';
import type { TaskStatus } from '../../domain/task-lifecycle.ts';
import type { Look } from './look.ts';
import { visible } from './visible.ts';

/** TASK-… and its title: how a task is named in a sentence. */
export function taskTitle({ id, title }: Pick<TaskLine, 'id' | 'title'>, look: Look): string {
  return `${look.strong(id)}  ${visible(title)}`;
}

export function statusText(status: TaskStatus, look: Look, width = 0): string {
  const text = status.padEnd(width);
  if (status === 'done') return look.good(text);
  if (status === 'blocked' || status === 'deadletter') return look.bad(text);
  if (status === 'review' || status === 'in-progress') return look.open(text);
  return status === 'cancelled' ? look.faint(text) : text;
}

export function taskIsNow(task: TaskLine, look: Look): string {
  return `${look.strong(task.id)} is ${statusText(task.status, look)} now  ${visible(task.title)}`;
}

export function taskWaits(task: TaskLine, look: Look): string {
  return `${look.strong(task.id)} waits for ${task.dependsOn.join(', ')}`;
}
