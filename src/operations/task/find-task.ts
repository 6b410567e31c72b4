import { isRefusal, type Refusal, refuse, refusePart } from '../../domain/refusal.ts';
import { TASK_NAME, type Task, type TaskName } from '../../domain/task/task.ts';
import { selectOrderedTask } from '../../ledger/statements/orders.ts';
import {
  selectNewest,
  selectNewestNumbered,
  selectTask,
  selectTaskByUid,
  selectTitled,
} from '../../ledger/statements/tasks.ts';
import type { Reader } from '../../ledger/tx.ts';

const CANDIDATES_SHOWN_MAX = 10;

/** A task by its name, its uid, its number, @ for the newest, or words of its title. */
export function findTask(tx: Reader, reference: string): Task | Refusal {
  const wanted = reference.trim();
  if (wanted === '@') return selectNewest(tx) ?? notFound('@', 'there are no tasks yet');
  if (/^TASK-/i.test(wanted)) return selectTask(tx, wanted.toUpperCase()) ?? notFound(wanted);
  if (wanted.startsWith('tsk_')) return selectTaskByUid(tx, wanted) ?? notFound(wanted);
  if (/^\d{1,3}$/.test(wanted)) return selectNewestNumbered(tx, wanted.padStart(3, '0')) ?? notFound(wanted);
  return byTitle(tx, wanted);
}

function byTitle(tx: Reader, words: string): Task | Refusal {
  if (words === '') return notFound(words, 'name a task');
  const found = selectTitled(tx, words, CANDIDATES_SHOWN_MAX + 1);
  const [only, second] = found;
  if (only && !second) return only;
  if (!only) return notFound(words);
  const exact = found.filter((task) => task.title.toLowerCase() === words.toLowerCase());
  if (exact.length === 1 && exact[0]) return exact[0];
  const candidates = found.slice(0, CANDIDATES_SHOWN_MAX).map((task) => `${task.id}  ${task.title}`);
  return { ...refuse('ambiguous_task', `${JSON.stringify(words)} fits several tasks`), details: candidates };
}

function notFound(reference: string, message = `there is no task ${JSON.stringify(reference)}`): Refusal {
  return refuse('task_not_found', message);
}

/**
 * The name of the task that a reference means. A whole name, which is what programs send, is returned without a read:
 * the command itself refuses a task that does not exist.
 */
export function nameTask(read: Reader, reference: string): TaskName | Refusal {
  if (TASK_NAME.test(reference)) return reference as TaskName;
  const task = findTask(read, reference);
  return isRefusal(task) ? task : task.id;
}

/** The names of several tasks; the first that cannot be found is the refusal. */
export function nameTasks(read: Reader, references: readonly string[]): readonly TaskName[] | Refusal {
  const names: TaskName[] = [];
  for (const reference of references) {
    const name = nameTask(read, reference);
    if (isRefusal(name)) return name;
    names.push(name);
  }
  return names;
}

/** An AOP message's names for its task. */
export interface SenderName {
  readonly sessionId: string;
  /** The sender's own name for the task, or Baton's name TASK-…. */
  readonly senderTaskId: string;
}

/** common:task-names: finds a task by session and the sender's task id, else by its own name. */
export function findOrderedTask(tx: Reader, { sessionId, senderTaskId }: SenderName): Task | Refusal {
  const task = selectTask(tx, selectOrderedTask(tx, sessionId, senderTaskId) ?? senderTaskId);
  return task ?? refusePart('task_not_found', `there is no task ${senderTaskId} of ${sessionId}`, 'task');
}
